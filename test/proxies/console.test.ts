import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { skipWithout } from '../../tools/test-programs.ts';
import { openProductionService, type ProductionService } from '../antifraud/production-service.ts';
import { freePort, PROXY_NAMES, startConsoleProxy } from './proxies.ts';

const HOST = 'console.example.com';

let production: ProductionService;
let pages: number;
before(async () => {
  pages = await freePort();
  production = await openProductionService({
    PARCELA_TRUSTED_PROXIES: '127.0.0.1',
    PARCELA_CONSOLE_PORT: String(pages),
    PARCELA_CONSOLE_ORIGIN: `https://${HOST}`,
  });
});
after(() => production.close());

for (const name of PROXY_NAMES) {
  test(`the console is behind ${name} at an address of its own, which has no API, and the other has no console`, {
    skip: skipWithout(name),
  }, async () => {
    const api = Number(new URL(production.service.gatewayUrl).port);
    const proxy = await startConsoleProxy(name, production.keys.folder, { api, pages });
    try {
      const ask = async (origin: string, path: string, host = HOST) => {
        const headers = { host, accept: 'text/html' };
        const answer = await proxy.agent.request({ origin, path, method: 'GET', headers });
        return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
      };
      const page = await ask(proxy.consoleUrl, '/console/sign-in');
      assert.equal(page.status, 200, page.text);
      assert.equal(page.headers['strict-transport-security'], 'max-age=31536000');
      assert.equal((await ask(proxy.consoleUrl, '/')).headers.location, '/console');
      assert.equal((await ask(proxy.consoleUrl, '/console', 'elsewhere.example')).status, 421);
      for (const path of ['/health/ready', '/v1/payments'])
        assert.equal((await ask(proxy.consoleUrl, path)).status, 401, path);
      assert.equal((await ask(proxy.url, '/console/sign-in')).status, 401);
      assert.equal((await ask(proxy.url, '/health/ready')).status, 200);
    } finally {
      await proxy.stop();
    }
  });
}
