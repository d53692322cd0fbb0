package shop.db;

/** Is told who waited, or worked, from when to when. */
public interface Probe {
    void tell(long from, long to);
}
