import org.jasypt.encryption.pbe.StandardPBEStringEncryptor;

/**
 * Four threads encrypt short tokens, and one encrypts statements of some hundred kilobytes, all with one encryptor of
 * Jasypt.
 *
 * NEEDS: libjasypt-java (jasypt.jar)
 *
 * Problem: an encryptor has one cipher and encrypts under its monitor; while Statements.seal encrypts a whole
 * statement, no token can be encrypted. Truth: the threads with tokens wait for the cipher because of Statements.seal.
 * Measured: how often each encrypts; no share, as only the library knows when it has the monitor.
 */
final class StatementsShareTheEncryptor {
    static final class Vault {
        private final StandardPBEStringEncryptor encryptor = new StandardPBEStringEncryptor();

        Vault() {
            encryptor.setAlgorithm("PBEWithMD5AndTripleDES");
            encryptor.setPassword("of the vault");
            encryptor.setKeyObtentionIterations(50);
            encryptor.initialize();
        }

        String encrypt(String text) {
            return encryptor.encrypt(text);
        }
    }

    static final class Statements {
        private final Vault vault;
        private final String statement = "one more line of this statement\n".repeat(4_000);
        private int sealed;

        Statements(Vault vault) {
            this.vault = vault;
        }

        void seal() throws InterruptedException {
            vault.encrypt(statement);
            sealed++;
            Thread.sleep(10);
        }
    }

    static final class Tokens {
        private final Vault vault;
        private int issued;

        Tokens(Vault vault) {
            this.vault = vault;
        }

        void issue() throws InterruptedException {
            vault.encrypt("customer 4711, valid until the evening");
            issued++;
            Thread.sleep(5);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Vault vault = new Vault();
        Statements statements = new Statements(vault);
        Truth.repeat("statements", statements::seal);
        Tokens[] tokens = new Tokens[4];
        for (int i = 0; i < tokens.length; i++) {
            tokens[i] = new Tokens(vault);
            Truth.repeat("token-" + (i + 1), tokens[i]::issue);
        }
        Truth.sleep(seconds);
        System.out.printf("%d statements sealed, %d tokens of one thread issued%n", statements.sealed,
            tokens[0].issued);
        Truth.of("long statements are encrypted under the monitor of the only cipher")
            .object("Cipher", "StandardPBEByteEncryptor", "StandardPBEStringEncryptor")
            .culprit("Statements.seal").thread("statements").victims("token-*").noShare().say();
        System.exit(0);
    }
}
