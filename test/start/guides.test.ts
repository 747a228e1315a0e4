import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { readDecline } from '../../src/acquirers/issuer-code.ts';
import { openTestService, type TestService } from '../kit/service.ts';

const GUIDES = { pt: 'docs/pt/primeiro-pagamento.md', en: 'docs/en/first-payment.md' } as const;
const TIMEOUT_MILLISECONDS = 60_000;

let service: TestService;
let folder: string;
before(async () => {
  service = await openTestService();
  folder = await mkdtemp(join(tmpdir(), 'parcela-guides-'));
  await mkdir(join(folder, '.parcela'));
  const logins = JSON.stringify(await service.demo(), null, 2);
  await writeFile(join(folder, '.parcela', 'demo.json'), logins);
});
after(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

/** What a reader pastes, in order. */
function snippetsOf(guide: string): string[] {
  const page = readFileSync(new URL(`../../${guide}`, import.meta.url), 'utf8');
  return [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, snippet = '']) => snippet);
}

for (const language of ['pt', 'en'] as const) {
  test(`the guide of the first payment works as it is pasted: ${language}`, async () => {
    const script = snippetsOf(GUIDES[language]).join('\n');
    const options = { cwd: folder, timeout: TIMEOUT_MILLISECONDS };
    const { stdout } = await promisify(execFile)('bash', ['-c', `set -e\n${script}`], options);
    assert.match(stdout, /"paymentAuthorization":\{"returnCode":"0"/);
    assert.match(stdout, /"statusDescription":"Autorizada"/);
    const { help } = readDecline('mastercard', '51', null);
    assert.ok(stdout.includes(`"buyerMessage":"${help.buyer[language]}"`), stdout);
  });
}

test('the guides do the same in both languages', () => {
  const commandsOf = (guide: string) =>
    snippetsOf(guide).map((snippet) =>
      snippet.replaceAll(/^#.*\n/gm, '').replaceAll(" -H 'Accept-Language: en'", ''),
    );
  assert.deepEqual(commandsOf(GUIDES.pt), commandsOf(GUIDES.en));
});
