import { createServer } from 'node:http';

const ITEMS = Array.from({ length: 500 }, (_, place) => ({
  id: place + 1,
  name: `Item ${place + 1}`,
  price: ((place * 7919) % 10_000) / 100,
}));

function cheapest() {
  return ITEMS.toSorted((one, other) => one.price - other.price).slice(0, 20);
}

function answer(path) {
  if (path === '/items') {
    return cheapest();
  }
  const item = ITEMS[Number(/^\/items\/(\d+)$/.exec(path)?.[1]) - 1];
  return item && { ...item, price: item.price.toFixed(2) };
}

const server = createServer((request, response) => {
  const found = answer(request.url);
  response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(found ?? { error: 'not found' }));
});
server.listen(Number(process.env.PORT ?? 3000), process.env.HOST ?? '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
