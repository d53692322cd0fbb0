import java.util.concurrent.Exchanger;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A game: one thread moves the world and draws a scene, one shows it at 50 Hz; two scenes, which they
 * exchange at each beat.
 *
 * Problem: none. Both have time left, and the screen gives the beat; the drawing thread waits for it in
 * every round, as it should. Truth: healthy. Measured: pictures a second.
 */
final class RenderLoopHealthy {
    static final class Scene {
        final int[] sprites = new int[2000];
    }

    static final class World {
        private final Exchanger<Scene> exchanger;
        private Scene scene = new Scene();
        private int time;

        World(Exchanger<Scene> exchanger) {
            this.exchanger = exchanger;
        }

        void step() throws InterruptedException {
            time++;
            for (int i = 0; i < scene.sprites.length; i++) {
                scene.sprites[i] = (i * 31 + time) % 640;
            }
            scene = exchanger.exchange(scene);
        }
    }

    static final class Screen {
        static final AtomicInteger PICTURES = new AtomicInteger();
        private final Exchanger<Scene> exchanger;
        private Scene scene = new Scene();
        private long beat = System.nanoTime();

        Screen(Exchanger<Scene> exchanger) {
            this.exchanger = exchanger;
        }

        void show() throws InterruptedException {
            beat += 20_000_000;
            Thread.sleep(Math.max(0, (beat - System.nanoTime()) / 1_000_000));
            scene = exchanger.exchange(scene);
            PICTURES.incrementAndGet();
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Exchanger<Scene> exchanger = new Exchanger<>();
        Truth.repeat("world", new World(exchanger)::step);
        Truth.repeat("screen", new Screen(exchanger)::show);
        Truth.sleep(seconds);
        System.out.println(Screen.PICTURES.get() / seconds + " pictures a second");
        Truth.healthy("a drawing thread that the screen's beat paces").object().culprit().thread().victims()
            .noShare().say();
    }
}
