package wiregauge.users;

import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.protobuf.services.ProtoReflectionService;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import user.v1.UserServiceGrpc;

/** The User Service over gRPC with grpc-java. */
public final class UserGrpcServer {
    private UserGrpcServer() {
    }

    public static void main(String[] arguments) throws InterruptedException {
        String host = setting("HOST", "127.0.0.1");
        int port = Integer.parseInt(setting("PORT", "50051"));
        long gracefulSeconds = Long.parseLong(setting("GRACEFUL_SECONDS", "1"));
        Path users = Path.of(setting("USERS_FILE", "services/users/users.json"));

        HealthStatusManager health = new HealthStatusManager();
        Server server;
        try {
            server = NettyServerBuilder.forAddress(new InetSocketAddress(host, port), InsecureServerCredentials.create())
                    .maxConnectionIdle(75, TimeUnit.SECONDS)
                    .addService(new UserService(Users.read(users)))
                    .addService(health.getHealthService())
                    .addService(ProtoReflectionServiceV1.newInstance())
                    // For older clients.
                    .addService(ProtoReflectionService.newInstance())
                    .build()
                    .start();
        } catch (IOException failure) {
            System.err.println("grpc-java: cannot serve on " + host + ":" + port + ": " + causeOf(failure)
                    + "; choose another HOST, PORT or USERS_FILE");
            System.exit(2);
            return;
        }
        health.setStatus(UserServiceGrpc.SERVICE_NAME, ServingStatus.SERVING);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end(server, health, gracefulSeconds)));
        server.awaitTermination();
    }

    private static String setting(String name, String usual) {
        return System.getenv().getOrDefault(name, usual);
    }

    /** The kernel's message, without the library's text around it. */
    private static String causeOf(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause.getMessage();
    }

    /** Calls in flight may continue for the given time. */
    private static void end(Server server, HealthStatusManager health, long gracefulSeconds) {
        health.enterTerminalState();
        server.shutdown();
        try {
            if (!server.awaitTermination(gracefulSeconds, TimeUnit.SECONDS)) {
                server.shutdownNow().awaitTermination();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
