package wiregauge.users;

/** A person known to the service. */
record User(int id, String name, String email, int age) {
}
