insert into item (id, name, price) select x, 'Item ' || x, x * 10 from system_range(1, 30);
