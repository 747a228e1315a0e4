// WEBHOOK_SECRET=whsec_… node receive-webhook.ts (Node 24.2 or later, no packages)
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { DatabaseSync } from 'node:sqlite';

const MOST_BYTES = 64 * 1024;
const MOST_SECONDS = 5 * 60;

type Notification = {
  movementId: number;
  nsu: string;
  codAuth: string;
  installmentNumber: number;
  moment: string;
  type: string;
  oldValue: string;
  newValue: string;
};

/** Whether the message is Parcela's, whole, and new. `body`: the bytes as they came. `now`: seconds since 1970. */
export function isGenuine(headers: IncomingHttpHeaders, body: Buffer, secret: string, now: number): boolean {
  const id = String(headers['webhook-id'] ?? '');
  const timestamp = String(headers['webhook-timestamp'] ?? '');
  const signatures = String(headers['webhook-signature'] ?? '');
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now - Number(timestamp)) > MOST_SECONDS) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const digest = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  const right = Buffer.from(`v1,${digest}`);
  // Two signatures while a secret is being changed: one that is right will do.
  return signatures.split(' ').some((text) => {
    const given = Buffer.from(text);
    return given.length === right.length && timingSafeEqual(given, right);
  });
}

/** Works a notification off, once, however often it comes. All or nothing: what throws is answered 500 and comes again. */
function takeNotification(database: DatabaseSync, told: Notification): void {
  const { movementId, nsu, installmentNumber, newValue } = told;
  database.exec('begin immediate');
  try {
    const seen = database.prepare('insert into movements values (?) on conflict do nothing').run(movementId);
    // What your system does about it goes here, in the same transaction. A number that is smaller came late, and is old news.
    if (seen.changes === 1) {
      database
        .prepare(
          `insert into installments values (?, ?, ?, ?, 1) on conflict (nsu, number) do update
           set status = excluded.status, movement_id = excluded.movement_id, changes = changes + 1
           where excluded.movement_id > movement_id`,
        )
        .run(nsu, installmentNumber, newValue, movementId);
    }
    database.exec('commit');
  } catch (error) {
    database.exec('rollback');
    throw error;
  }
}

async function answerTo(request: IncomingMessage, database: DatabaseSync, secret: string): Promise<number> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes <= MOST_BYTES) chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  if (bytes > MOST_BYTES || !isGenuine(request.headers, body, secret, Date.now() / 1_000)) return 400;
  const told = JSON.parse(body.toString('utf8')) as Notification;
  // A callback of a payment has no number, and belongs to another address.
  if (!Number.isSafeInteger(told.movementId)) return 400;
  if (told.type !== 'Teste') takeNotification(database, told);
  return 200;
}

if (import.meta.main) {
  const { WEBHOOK_SECRET: secret, WEBHOOK_DATABASE: file = 'webhook.db', PORT = '3000' } = process.env;
  if (!secret) throw new Error('WEBHOOK_SECRET is missing');
  const database = new DatabaseSync(file);
  database.exec(`create table if not exists movements (movement_id integer primary key);
    create table if not exists installments (nsu text, number integer, status text, movement_id integer,
      changes integer, primary key (nsu, number))`);
  createServer(async (request, response) => {
    const status = await answerTo(request, database, secret).catch((error) => {
      process.stderr.write(`${error}\n`);
      return 500;
    });
    response.writeHead(status).end();
  }).listen(Number(PORT), '127.0.0.1');
}
