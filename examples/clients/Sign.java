import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/**
 * Signs an ad impression over the Unix socket of the signing server.
 *
 * <pre>ADMIN_TOKEN=… java Sign.java /run/adattribution/admin.sock &lt; impression.json</pre>
 *
 * It prints the signed impression. Java 16 is needed, and nothing else. The HTTP client of the JDK knows no Unix
 * sockets, so this class writes the few lines of HTTP that signing needs. The connection stays open.
 */
public final class Sign implements AutoCloseable {
    private final SocketChannel channel;
    private final InputStream input;
    private final String token;

    Sign(String path, String token) throws IOException {
        channel = SocketChannel.open(UnixDomainSocketAddress.of(path));
        input = Channels.newInputStream(channel);
        this.token = token;
    }

    /** Returns the signed impression; throws an IOException with field and rule if it is refused. */
    String sign(byte[] impression) throws IOException {
        String head = "POST /v1/impressions?format=openrtb HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token
            + "\r\nContent-Type: application/json\r\nContent-Length: " + impression.length + "\r\n\r\n";
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        request.writeBytes(head.getBytes(StandardCharsets.US_ASCII));
        request.writeBytes(impression);
        for (ByteBuffer bytes = ByteBuffer.wrap(request.toByteArray()); bytes.hasRemaining();) channel.write(bytes);

        String status = line();
        int length = 0;
        for (String header = line(); !header.isEmpty(); header = line()) {
            int colon = header.indexOf(':');
            if (header.substring(0, colon).equalsIgnoreCase("Content-Length"))
                length = Integer.parseInt(header.substring(colon + 1).trim());
        }
        String answer = new String(input.readNBytes(length), StandardCharsets.UTF_8);
        if (!status.startsWith("HTTP/1.1 200 ")) throw new IOException(status + ": " + answer);
        return answer;
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = input.read(); next != '\n'; next = input.read()) {
            if (next < 0) throw new IOException("the server closed the connection");
            if (next != '\r') line.write(next);
        }
        return line.toString(StandardCharsets.US_ASCII);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 1) {
            System.err.println("usage: ADMIN_TOKEN=… java Sign.java SOCKET < impression.json");
            System.exit(64);
        }
        try (Sign client = new Sign(arguments[0], System.getenv("ADMIN_TOKEN"))) {
            System.out.println(client.sign(System.in.readAllBytes()));
        } catch (IOException error) {
            System.err.println(error.getMessage());
            System.exit(1);
        }
    }
}
