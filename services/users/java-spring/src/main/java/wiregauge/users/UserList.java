package wiregauge.users;

import java.util.List;

/** The answer with all users, in the order of their ids, and the form of the file that they are read from. */
record UserList(List<User> users) {
}
