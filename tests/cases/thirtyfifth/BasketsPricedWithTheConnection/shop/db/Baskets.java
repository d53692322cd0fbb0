package shop.db;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.function.IntToLongFunction;
import javax.sql.DataSource;

/** Reads a basket, and has its total computed in the same transaction. */
public final class Baskets {
    private final DataSource source;
    private final Probe waited;

    public Baskets(DataSource source, Probe waited) {
        this.source = source;
        this.waited = waited;
    }

    public long total(int basket, IntToLongFunction price) throws SQLException {
        long asked = System.nanoTime();
        try (Connection connection = source.getConnection()) {
            waited.tell(asked, System.nanoTime());
            return price.applyAsLong(items(connection, basket));
        }
    }

    private int items(Connection connection, int basket) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("SELECT items FROM basket WHERE id = ?")) {
            query.setInt(1, basket);
            try (ResultSet row = query.executeQuery()) {
                return row.next() ? row.getInt(1) : 0;
            }
        }
    }
}
