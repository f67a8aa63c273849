package wiregauge.users;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.ErrorResponse;
import org.springframework.web.HttpRequestMethodNotSupportedException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.NoHandlerFoundException;

/** Answers every error with a problem document. */
@RestControllerAdvice
class Problems {
    private static final String ALLOWED = "GET, HEAD, OPTIONS";

    @ExceptionHandler
    ResponseEntity<Problem> refused(ResponseStatusException refusal) {
        return problem(refusal, refusal.getReason());
    }

    @ExceptionHandler
    ResponseEntity<Problem> notFound(NoHandlerFoundException unknown) {
        return problem(unknown, "There is nothing here; users are at /users and /user/1.");
    }

    @ExceptionHandler
    ResponseEntity<Problem> notAllowed(HttpRequestMethodNotSupportedException method) {
        ResponseEntity<Problem> answer = problem(method, "The method is not allowed for the requested URL.");
        return ResponseEntity.status(answer.getStatusCode())
                .header("Allow", ALLOWED)
                .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                .body(answer.getBody());
    }

    private static ResponseEntity<Problem> problem(ErrorResponse error, String detail) {
        HttpStatus status = HttpStatus.valueOf(error.getStatusCode().value());
        return ResponseEntity.status(status)
                .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                .body(new Problem("about:blank", status.getReasonPhrase(), status.value(), detail));
    }
}
