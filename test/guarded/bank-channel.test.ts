import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startBank } from '../../simulators/bank/running-simulator.ts';
import { temporaryFolder } from '../../simulators/kit/temporary-folder.ts';
import { issue, openBoletoShop } from '../boletos/boleto-service.ts';
import { makeAuthority, makeCertificate } from '../webhooks/certificates.ts';
import { openGuardedBridge } from './guarded-bridge.ts';

test('the bank is shown our certificate and token, and believed by its private authority alone', async (t) => {
  const [authority, clientAuthority] = [makeAuthority(), makeAuthority()];
  const client = makeCertificate({ issuer: clientAuthority });
  const bank = await startBank(t);
  const own = makeCertificate({ hosts: ['127.0.0.1'], issuer: authority });
  const bridge = await openGuardedBridge(bank.url, own, clientAuthority);
  const folder = temporaryFolder(t);
  const file = async (name: string, content: string) => {
    await writeFile(join(folder, name), content, { mode: 0o600 });
    return join(folder, name);
  };
  bridge.letIn('bank-token');
  const shop = await openBoletoShop({
    PARCELA_BANK_URL: bridge.url,
    PARCELA_BANK_CA_FILE: await file('authority.pem', authority.certificate),
    PARCELA_BANK_CERTIFICATE_FILE: await file('client.pem', client.certificate),
    PARCELA_BANK_CERTIFICATE_KEY_FILE: await file('client-key.pem', client.keyText),
    PARCELA_BANK_TOKEN_FILE: await file('token', 'bank-token\n'),
  });
  t.after(async () => {
    await shop.service.close();
    await bridge.close();
  });
  const reply = await issue(shop);
  assert.equal(reply.status, 200, reply.text);
  const paths = bridge.visits.map(({ path }) => path);
  assert.ok(paths.includes('/about') && paths.includes('/boletos'), paths.join());
  const { serialNumber } = new X509Certificate(client.certificate);
  for (const visit of bridge.visits)
    assert.deepEqual([visit.serialNumber, visit.authorization], [serialNumber, 'Bearer bank-token']);
});
