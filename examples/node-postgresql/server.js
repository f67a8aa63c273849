import Fastify from 'fastify';
import pg from 'pg';

const { DATABASE_URL, HOST = '0.0.0.0', PORT = '3000' } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });
const app = Fastify();

app.get('/items', async () => (await pool.query('select id, name, price from item order by id')).rows);

app.get('/items/:id', async (request, reply) => {
  const { rows } = await pool.query('select id, name, price from item where id = $1', [request.params.id]);
  return rows[0] ?? reply.code(404).send({ error: 'there is none' });
});

app.addHook('onClose', async () => await pool.end());
process.once('SIGTERM', async () => await app.close());

await pool.query('create table if not exists item (id integer primary key, name text, price integer)');
await pool.query(
  "insert into item select id, 'Item ' || id, id * 100 from generate_series(1, 20) id on conflict do nothing",
);
await app.listen({ host: HOST, port: Number(PORT) });
