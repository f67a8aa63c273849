package shop;

import java.util.List;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

@RestController
public class ItemController {
    private final Items items;

    ItemController(Items items) {
        this.items = items;
    }

    @GetMapping("/items")
    List<Item> list(@RequestParam(defaultValue = "1000") int below) {
        return items.findByPriceLessThanOrderById(below);
    }

    @GetMapping("/items/{id}")
    Item get(@PathVariable long id) {
        return items.findById(id).orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND));
    }
}
