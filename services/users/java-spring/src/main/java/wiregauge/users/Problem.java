package wiregauge.users;

/** A problem document (RFC 9457); Spring's own names the path of the request, too. */
record Problem(String type, String title, int status, String detail) {
}
