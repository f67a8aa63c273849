package shop;

import java.util.List;
import org.springframework.data.jpa.repository.JpaRepository;

public interface Items extends JpaRepository<Item, Long> {
    List<Item> findByPriceLessThanOrderById(int price);
}
