package wiregauge.users;

import com.google.protobuf.util.JsonFormat;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import user.v1.UserOuterClass.ListUsersResponse;
import user.v1.UserOuterClass.User;

/** A file of users, which has the form of the answer with all of them. */
final class Users {
    private Users() {
    }

    /** The users in the order of their ids. */
    static List<User> read(Path file) throws IOException {
        ListUsersResponse.Builder list = ListUsersResponse.newBuilder();
        try (Reader text = Files.newBufferedReader(file)) {
            JsonFormat.parser().merge(text, list);
        }
        return list.getUsersList().stream().sorted(Comparator.comparingInt(User::getId)).toList();
    }
}
