import org.apache.commons.pool2.BasePooledObjectFactory;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import org.apache.commons.pool2.impl.GenericObjectPool;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;

/**
 * Letters are made from three templates of a pool.
 *
 * NEEDS: libcommons-pool2-java (commons-pool2.jar)
 *
 * Problem: a template given back is wiped first, TemplateFactory.passivateObject, which takes 12 ms, against 3
 * for which it is in use; only then another letter may have it. Truth: letters wait for a template because of
 * passivateObject, four fifths of the time. Measured: when templates are wiped and when used, while others wait.
 */
final class TemplatesWipedBeforeReturn {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Template {
        private final StringBuilder text = new StringBuilder();

        int fill(int letter) {
            text.append("letter ").append(letter);
            Truth.sleep(0.003);
            return text.length();
        }
    }

    static final class TemplateFactory extends BasePooledObjectFactory<Template> {
        @Override
        public Template create() {
            return new Template();
        }

        @Override
        public PooledObject<Template> wrap(Template template) {
            return new DefaultPooledObject<>(template);
        }

        @Override
        public void passivateObject(PooledObject<Template> pooled) {
            long from = System.nanoTime();
            pooled.getObject().text.setLength(0);
            Truth.sleep(0.012);
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static final class Letters {
        private final GenericObjectPool<Template> templates;
        private int number;

        Letters(GenericObjectPool<Template> templates) {
            this.templates = templates;
        }

        void next() throws Exception {
            long from = System.nanoTime();
            Template template = templates.borrowObject();
            long taken = System.nanoTime();
            DIARY.waited(from, taken);
            number += template.fill(number) > 0 ? 1 : 0;
            DIARY.held(1, taken, System.nanoTime());
            templates.returnObject(template);
            Thread.sleep(6);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        GenericObjectPoolConfig<Template> config = new GenericObjectPoolConfig<>();
        config.setMaxTotal(3);
        config.setMaxIdle(3);
        config.setJmxEnabled(false);
        GenericObjectPool<Template> templates = new GenericObjectPool<>(new TemplateFactory(), config);
        for (int i = 1; i <= 8; i++) {
            Truth.repeat("letter-" + i, new Letters(templates)::next);
        }
        Truth.sleep(seconds);
        Truth.of("templates are wiped, slowly, before they are back in the pool")
            .object("ConditionObject", "LinkedBlockingDeque", "InterruptibleReentrantLock", "GenericObjectPool")
            .culprit("TemplateFactory.passivateObject").thread("letter-*").victims("letter-*")
            .share(DIARY.share(0), "the templates' time while others wait").say();
    }
}
