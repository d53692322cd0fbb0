import java.nio.file.Path;
import java.util.TreeMap;
import jdk.jfr.consumer.RecordedClass;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;

/**
 * The second witness: what JFR saw of the same process. Arguments: a .jfr file, the beginning of the
 * names of the threads that count. Prints a line for each class parked on: `CLASS PARKS TOTAL_NS`.
 */
class FlightRecording {
    public static void main(String[] arguments) throws Exception {
        String prefix = arguments.length > 1 ? arguments[1] : "";
        TreeMap<String, long[]> classes = new TreeMap<>();
        try (RecordingFile file = new RecordingFile(Path.of(arguments[0]))) {
            while (file.hasMoreEvents()) {
                RecordedEvent event = file.readEvent();
                if (!event.getEventType().getName().equals("jdk.ThreadPark")) {
                    continue;
                }
                RecordedThread thread = event.getThread();
                if (thread == null || thread.getJavaName() == null
                        || !thread.getJavaName().startsWith(prefix)) {
                    continue;
                }
                RecordedClass type = event.getClass("parkedClass");
                long[] sum = classes.computeIfAbsent(type == null ? "(none)" : type.getName(),
                        name -> new long[2]);
                sum[0]++;
                sum[1] += event.getDuration().toNanos();
            }
        }
        classes.forEach((name, sum) -> System.out.println(name + " " + sum[0] + " " + sum[1]));
    }
}
