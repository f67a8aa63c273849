package wiregauge.users;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Users as JSON over HTTP. */
@RestController
class UserController {
    /** One spelling for each id, so no sign and no leading zero. */
    private static final Pattern ID = Pattern.compile("[1-9][0-9]{0,9}");

    private final Users users;
    private final byte[] description;

    UserController(Users users, @Value("${users.openapi-file}") Path openapi) throws IOException {
        this.users = users;
        description = Files.readAllBytes(openapi);
    }

    @GetMapping("/user/{id}")
    User user(@PathVariable("id") String text) {
        int id = parseId(text);
        return users.byId(id)
                .orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND, "No user has the id " + id + "."));
    }

    @GetMapping("/users")
    UserList users() {
        return users.all();
    }

    @GetMapping("/health")
    Map<String, String> health() {
        return Map.of("status", "ok");
    }

    @GetMapping(path = "/openapi.json", produces = MediaType.APPLICATION_JSON_VALUE)
    byte[] openapi() {
        return description;
    }

    private static int parseId(String text) {
        if (ID.matcher(text).matches()) {
            long id = Long.parseLong(text);
            if (id <= Integer.MAX_VALUE) {
                return (int) id;
            }
        }
        throw new ResponseStatusException(
                HttpStatus.BAD_REQUEST, "A user's id is a whole number from 1 to " + Integer.MAX_VALUE + ".");
    }
}
