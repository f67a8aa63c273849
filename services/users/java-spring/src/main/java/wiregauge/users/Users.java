package wiregauge.users;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/** The users of the service, in memory. */
@Component
class Users {
    private final UserList all;
    private final Map<Integer, User> byId;

    Users(ObjectMapper json, @Value("${users.file}") Path file) throws IOException {
        UserList read = json.readValue(file.toFile(), UserList.class);
        all = new UserList(read.users().stream().sorted(Comparator.comparingInt(User::id)).toList());
        byId = all.users().stream().collect(Collectors.toUnmodifiableMap(User::id, Function.identity()));
    }

    UserList all() {
        return all;
    }

    Optional<User> byId(int id) {
        return Optional.ofNullable(byId.get(id));
    }
}
