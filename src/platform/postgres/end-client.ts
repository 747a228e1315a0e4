import type { Socket } from 'node:net';
import type pg from 'pg';

const GOODBYE_MILLISECONDS = 2_000;

/** Ends a connection, also to a server that is silent and answers no goodbye. */
export async function endClient(client: pg.Client): Promise<void> {
  const { connection } = client as pg.Client & { readonly connection: { readonly stream: Socket } };
  const timer = setTimeout(() => connection.stream.destroy(), GOODBYE_MILLISECONDS);
  await client.end().catch(() => {});
  clearTimeout(timer);
}
