package wiregauge.users;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The User Service over REST with Spring Boot. */
@SpringBootApplication
public class UserRestApplication {
    public static void main(String[] arguments) {
        SpringApplication.run(UserRestApplication.class, arguments);
    }
}
