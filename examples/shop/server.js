// Runs the shop by itself: PARCELA_DEMO=.parcela/demo.json node server.js, or with the logins of a merchant of yours.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { openParcela } from '#client';
import { openShop } from './shop.js';

const MOST_BYTES = 64 * 1024;
const { env } = process;
const port = Number(env.PORT ?? 3001);
const url = env.SHOP_URL ?? `http://localhost:${port}`;
const demoFile = env.PARCELA_DEMO ?? '.parcela/demo.json';
/** `gatewayUrl`, `integrationUrl`, `accountNumber`, and a login each for `gateway`, `recurrence`, `integration`. */
const given = JSON.parse(env.PARCELA_LOGINS ?? readFileSync(demoFile, 'utf8'));
const { gatewayUrl, integrationUrl, accountNumber, merchantId, gateway, recurrence, integration } = given;
/** Of notifications, beside the logins; those of another database have another file. */
const secretFile = join(dirname(demoFile), `shop-secret.${encodeURIComponent(integration.userName)}`);
const readIfThere = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : null);
const say = (line) => process.stderr.write(`${line}\n`);

const answer = openShop({
  parcela: openParcela({ url: gatewayUrl, integrationUrl, logins: { gateway, recurrence, integration } }),
  accountNumber,
  publicUrl: url,
  notifyUrl: `${url}/notifications`,
  secret: env.SHOP_SECRET ?? readIfThere(secretFile),
  keepSecret: (secret) => writeFileSync(secretFile, secret, { mode: 0o600 }),
  trial: env.PARCELA_LOGINS === undefined ? trialBeside(demoFile) : null,
  report: (error) => say(error.stack),
});

function trialBeside(file) {
  return {
    pixPayerUrl: readIfThere(join(dirname(file), 'pix', 'address')),
    consolePayments: `${new URL(gatewayUrl).origin}/console/merchants/${merchantId}/payments`,
  };
}

async function serve(incoming, outgoing) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of incoming) {
    bytes += chunk.length;
    // The rest is read and dropped: who is still sending reads no answer.
    if (bytes <= MOST_BYTES) chunks.push(chunk);
  }
  if (bytes > MOST_BYTES) return outgoing.writeHead(413).end();
  const isRead = incoming.method === 'GET' || incoming.method === 'HEAD';
  const asked = new Request(new URL(incoming.url, url), {
    method: incoming.method,
    headers: Object.entries(incoming.headers).map(([name, value]) => [name, `${value}`]),
    body: isRead ? undefined : Buffer.concat(chunks),
  });
  const answered = await answer(asked);
  outgoing.writeHead(answered.status, Object.fromEntries(answered.headers)).end(await answered.text());
}

createServer((incoming, outgoing) => {
  // What is no request a shop answers.
  serve(incoming, outgoing).catch(() => outgoing.writeHead(400).end());
}).listen(port, 'localhost', () => say(`The shop is open at ${url}`));
