import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A hospital: doctors discharge patients, which is billed on a thread of its own; billing reads the scanner's counter,
 * and the scanner is for one at a time; radiology examines with it and writes a note for the ward.
 *
 * Problem: after two fifths of the time notes are written live, while the scanner is still taken. Soon the ward,
 * entered for a discharge, awaits billing, which awaits the scanner, which radiology keeps while it waits to enter the
 * ward: three waits of three kinds, in a circle that no JVM reports. Truth: doctors wait for ever, for the Ward or for
 * billing's FutureTask, because of Ward.discharge and Radiology.examine.
 */
final class LiveNotesCloseTheCircle {
    static final class Scanner {
        private final Semaphore room = new Semaphore(1);
        private int minutes;

        void enter() throws InterruptedException {
            room.acquire();
        }

        void leave() {
            room.release();
        }

        int counter() throws InterruptedException {
            enter();
            try {
                return minutes++;
            } finally {
                leave();
            }
        }
    }

    static final class Billing {
        private final ExecutorService office = Executors.newSingleThreadExecutor(work -> Truth.daemon("billing", work));
        private final Scanner scanner;

        Billing(Scanner scanner) {
            this.scanner = scanner;
        }

        int invoice(String patient) throws Exception {
            return office.submit(() -> {
                Truth.sleep(0.002);
                return patient.length() * 100 + scanner.counter();
            }).get();
        }
    }

    static final class Ward {
        private final List<String> file = new ArrayList<>();
        private final Billing billing;

        Ward(Billing billing) {
            this.billing = billing;
        }

        synchronized void discharge(String patient) throws Exception {
            file.add(patient + " owes " + billing.invoice(patient));
            trim();
        }

        synchronized void note(String text) {
            file.add(text);
            trim();
        }

        private void trim() {
            if (file.size() > 1000) {
                file.clear();
            }
        }
    }

    record Radiology(Scanner scanner, Ward ward, AtomicBoolean live) {
        void examine(String patient) throws InterruptedException {
            scanner.enter();
            try {
                Truth.sleep(0.004);
                if (live.get()) {
                    ward.note(patient + ": seen");
                }
            } finally {
                scanner.leave();
            }
            if (!live.get()) {
                ward.note(patient + ": seen");
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Scanner scanner = new Scanner();
        AtomicBoolean live = new AtomicBoolean();
        Ward ward = new Ward(new Billing(scanner));
        Radiology radiology = new Radiology(scanner, ward, live);
        List<Thread> staff = new ArrayList<>();
        for (String name : List.of("doctor-1", "doctor-2", "doctor-3", "doctor-4")) {
            staff.add(Truth.repeat(name, () -> {
                ward.discharge("patient of " + name);
                Thread.sleep(25);
            }));
        }
        staff.add(Truth.repeat("radiology", () -> {
            radiology.examine("patient");
            Thread.sleep(20);
        }));
        Truth.hangsOnce(staff);
        Truth.sayAndHalt(Truth.stuck("ward, billing and scanner await each other in a circle of three kinds of waits")
            .object("Ward", "FutureTask", "Semaphore", "NonfairSync")
            .culprit("Ward.discharge", "Billing.invoice", "Radiology.examine", "Ward.note")
            .thread("doctor-*", "billing", "radiology").victims("doctor-*").noShare(), seconds);
        Truth.sleep(seconds * 0.4);
        live.set(true);
        Truth.sleep(seconds + 2);
    }
}
