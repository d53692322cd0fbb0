import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Virtual threads that are woken, each by the one thread that can: for each way to wait a thread
 * waker-WAY, virtual but for the last, lets so many threads waiter-WAY wait as the first argument says
 * (20), one after the other, and wakes each in VirtualWakers.wake once it stands there. With a second
 * argument LockSupport is redefined with its own bytes (`redefine`) or retransformed (`retransform`)
 * before each way but the first (needs -javaagent:redefinition.jar), and two seconds pass; or retransformed
 * twelve times before the first (`often`), and a minute passes. Prints `woken N`, by all of them.
 */
class VirtualWakers {
    interface Way {
        void await() throws Exception;

        void wake() throws Exception;
    }

    static int rounds;
    static volatile int woken;

    public static void main(String[] arguments) throws Exception {
        rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 20;
        boolean redefines = arguments.length > 1;
        String[] names = {"latch", "queue", "future", "task", "semaphore", "lock", "socket",
                "platform"};
        for (int i = 0; redefines && arguments[1].equals("often") && i < 12; i++) {
            Redefinition.retransform(java.util.concurrent.locks.LockSupport.class);
            Thread.sleep(i < 11 ? 2500 : 65_000);
        }
        for (int i = 0; i < names.length; i++) {
            String name = names[i];
            if (redefines && arguments[1].equals("often")) {
                // it was, before the first
            } else if (redefines && arguments[1].equals("retransform")) {
                if (i > 0) { // the first time it was as the JVM started
                    Redefinition.retransform(java.util.concurrent.locks.LockSupport.class);
                }
                Thread.sleep(2000);
            } else if (redefines && i > 0) {
                byte[] bytes = ClassLoader.getSystemResourceAsStream(
                        "java/util/concurrent/locks/LockSupport.class").readAllBytes();
                Redefinition.as(java.util.concurrent.locks.LockSupport.class, bytes);
                Thread.sleep(2000);
            }
            Runnable waker = () -> wakeAll(name);
            Thread thread = name.equals("platform")
                    ? new Thread(waker, "waker-platform") : Virtual.unstarted("waker-" + name, waker);
            thread.start();
            thread.join();
        }
        System.out.println("woken " + woken);
    }

    static void wakeAll(String name) {
        try {
            for (int i = 0; i < rounds; i++) {
                Way way = way(name);
                Thread waiter = Virtual.start("waiter-" + name, () -> await(way));
                while (waiter.getState() != Thread.State.WAITING) {
                    Thread.sleep(0, 50_000);
                }
                wake(way);
                waiter.join();
                woken++;
            }
        } catch (Exception exception) {
            throw new IllegalStateException(exception);
        }
    }

    static void await(Way way) {
        try {
            way.await();
        } catch (Exception exception) {
            throw new IllegalStateException(exception);
        }
    }

    static void wake(Way way) throws Exception {
        way.wake();
    }

    static Way way(String name) throws Exception {
        return switch (name) {
            case "queue" -> queue(new LinkedBlockingQueue<>());
            case "future" -> future(new CompletableFuture<>());
            case "task" -> task(new FutureTask<>(() -> ""));
            case "semaphore" -> semaphore(new Semaphore(0));
            case "lock" -> lock(new ReentrantLock());
            case "socket" -> socket(new CountDownLatch(1));
            default -> latch(new CountDownLatch(1));
        };
    }

    static Way of(java.util.concurrent.Callable<?> await, java.util.concurrent.Callable<?> wake) {
        return new Way() {
            @Override
            public void await() throws Exception {
                await.call();
            }

            @Override
            public void wake() throws Exception {
                wake.call();
            }
        };
    }

    static Way latch(CountDownLatch latch) {
        return of(() -> {
            latch.await();
            return null;
        }, () -> {
            latch.countDown();
            return null;
        });
    }

    /** It first reads from a socket, which is no wait: whoever wakes it then wakes nobody later. */
    static Way socket(CountDownLatch latch) throws Exception {
        Thread[] waiter = new Thread[1];
        CountDownLatch read = new CountDownLatch(1);
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Socket far = new Socket(server.getInetAddress(), server.getLocalPort()), near = server.accept();
            return of(() -> {
                waiter[0] = Thread.currentThread();
                near.getInputStream().read();
                read.countDown();
                latch.await();
                return null;
            }, () -> {
                far.getOutputStream().write(1);
                while (read.getCount() > 0 || waiter[0].getState() != Thread.State.WAITING) {
                    Thread.sleep(0, 50_000);
                }
                far.close();
                near.close();
                latch.countDown();
                return null;
            });
        }
    }

    static Way queue(LinkedBlockingQueue<String> queue) {
        return of(queue::take, () -> queue.offer(""));
    }

    static Way future(CompletableFuture<String> future) {
        return of(future::get, () -> future.complete(""));
    }

    static Way task(FutureTask<String> task) {
        return of(task::get, () -> {
            task.run();
            return null;
        });
    }

    static Way semaphore(Semaphore semaphore) {
        return of(() -> {
            semaphore.acquire();
            return null;
        }, () -> {
            semaphore.release();
            return null;
        });
    }

    /** Whoever makes it has it. */
    static Way lock(ReentrantLock lock) {
        lock.lock();
        return of(() -> {
            lock.lock();
            lock.unlock();
            return null;
        }, () -> {
            lock.unlock();
            return null;
        });
    }
}
