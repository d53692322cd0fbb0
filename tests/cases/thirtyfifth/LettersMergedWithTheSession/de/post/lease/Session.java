package de.post.lease;

/** A session with the post's register of addresses. */
public record Session(int number) {
    public String addressOf(int person) {
        try {
            Thread.sleep(2);
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
        return number + " Long Lane " + person;
    }
}
