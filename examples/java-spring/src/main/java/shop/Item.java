package shop;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

@Entity
public class Item {
    @Id
    public long id;
    public String name;
    public int price;
}
