import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseBlocks } from '../../values/ip-address.ts';
import { type CallRules, checkUrl, PUBLIC_ONLY, type Resolver, type UrlFault } from './url-rules.ts';
import { vetUrl } from './vet-url.ts';

const NAMES: Readonly<Record<string, readonly string[]>> = {
  'loja.com.br': ['8.8.8.8'],
  'www.loja.com.br': ['8.8.8.8', '2606:4700::1111'],
  'a_b.loja.com.br': ['8.8.4.4'],
  'xn--lojaa-1ra.com.br': ['8.8.8.8'],
  'loja.example': ['93.184.215.14'],
  'erp.rede.lan': ['10.1.2.3'],
  'half.evil.com': ['8.8.8.8', '127.0.0.1'],
  'half6.evil.com': ['2606:4700::1111', '::1'],
  'first.evil.com': ['169.254.169.254', '8.8.8.8'],
  'many.evil.com': [...Array<string>(50).fill('8.8.8.8'), '10.0.0.1'],
  'zone.evil.com': ['fe80::1%eth0'],
  'odd.evil.com': ['0x7f.1'],
  ...Object.fromEntries(
    [
      '127.0.0.1 10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.254 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 0.1.2.3',
      '192.0.0.1 192.0.2.1 192.88.99.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255',
      '240.0.0.1 255.255.255.255 :: ::1 ::7f00:1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:7f00:1 64:ff9b::7f00:1',
      '64:ff9b::8.8.8.8 64:ff9b:1::1 100::1 2001::1 2001:0:5ef5:79fd::1 2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1::',
      '2002:a00:1:: 3fff::1 5f00::1 fc00::1 fd12:3456::1 fe80::1 febf::1 fec0::1 ff02::1 ff0e::1 4000::1',
    ]
      .flatMap((line) => line.split(' '))
      .map((address, index) => [`n${index}.evil.com`, [address]]),
  ),
};

const resolver: Resolver = {
  async lookup(host) {
    if (host === 'broken.evil.com') throw new Error('no name server answered');
    return NAMES[host] ?? [];
  },
};

const vet = (text: string, rules: CallRules = PUBLIC_ONLY) => vetUrl({ ...rules, resolver }, text, 'loja');

/**
 * By the reason for which production refuses them; one text may hold several addresses, separated by blanks.
 */
const HOSTILE: Readonly<Record<Exclude<UrlFault, 'tooLong'>, readonly string[]>> = {
  scheme: [
    'http://loja.com.br/ HTTP://loja.com.br/ http://127.0.0.1/ ftp://loja.com.br/ file:///etc/passwd gopher://loja.com.br:6379/_x',
    'javascript:alert(1) data:text/plain,x ws://loja.com.br/ wss://loja.com.br/ dict://loja.com.br:11211/ ldap://loja.com.br/',
    'jar:https://loja.com.br/!/ unix:/var/run/docker.sock mailto:a@loja.com.br blob:https://loja.com.br/x loja.com.br:443/x',
    'view-source:https://loja.com.br/ tftp://loja.com.br/ netdoc:///etc/passwd smb://loja.com.br/x',
  ],
  malformed: [
    'loja.com.br /x //loja.com.br/ https:loja.com.br https:/loja.com.br/ https:///loja.com.br/ https:// https://? https://:443/',
    'https:\\\\loja.com.br\\ https://loja.com.br\\x https://loja.com.br\\@127.0.0.1/ https://[::1/ https://[]/ https://[::1%25eth0]/',
    'https://[fe80::1%eth0]/ https://[127.0.0.1]/ https://[::ffff:127.0.0.256]/ https://[1::2::3]/ https://[v1.x]/ https://1.2.3.4.5/',
    'https://256.1.1.1/ https://0x100000000/ https://4294967296/ https://1.2.3.0x1ff/ https://09.1.1.1/ https://loja.com.br:99999/',
    'https://loja.com.br:x/ https://loja.com.br:-1/ https://loja.com.br:0/ https://lo%00ja.com/ https://lo%20ja.com/ https://lo|ja.com/',
    'https://lo<ja.com/ https://lo^ja.com/ https://loja..com/ https://.loja.com/ https://loja.com../ https://-loja.com/ https://loja-.com/',
    'https://lo!ja.com/ https://lo$ja.com/ https://loja.com,evil.com/ https://loja.com;evil.com/ https://(loja).com/ https://xn--/',
    "https://lo'ja.com/ https://lo*ja.com/ https://lo~ja.com/ https://lo+ja.com/ https://lo=ja.com/ https://%/ https://%zz.com/",
    `https://${'a'.repeat(64)}.com/ https://${'a.'.repeat(130)}com/ https://\u200bloja.com/ https://lo\u00adja.com/ https://loja\u202e.com/`,
    'https://loja.com/\u0000 https://loja.com/\u0085 https://loja.com/\ufeffx https://\u2488com/x\u2029',
  ],
  userInfo: [
    'https://user@loja.com.br/ https://user:pass@loja.com.br/ https://:pass@loja.com.br/ https://@loja.com.br/ https://:@loja.com.br/',
    'https://loja.com.br@127.0.0.1/ https://loja.com.br:44@127.0.0.1/ https://loja.com.br%2f@127.0.0.1/ https://a@b@loja.com.br/',
    'https://loja.com.br&@127.0.0.1/ https://127.0.0.1:8;@loja.com.br/ https://%40@loja.com.br/',
  ],
  fragment: ['https://loja.com.br/# https://loja.com.br/#x https://loja.com.br#x https://loja.com.br/?a=b#c'],
  name: [
    'https://localhost/ https://LOCALHOST/ https://localhost./ https://a.localhost/ https://%6cocalhost/ https://ｌocalhost/',
    'https://localhost.localdomain/ https://postgres/ https://kubernetes/ https://loja/ https://router.lan/ https://x.local/',
    'https://x.internal/ https://metadata.google.internal/ https://metadata.google.internal./ https://x.home.arpa/ https://x.corp/',
    'https://1.0.0.127.in-addr.arpa/ https://x.intranet/ https://x.private/ https://x.home/ https://x.test/ https://x.invalid/',
    'https://x.onion/ https://x.alt/ https://kubernetes.default.svc.cluster.local/ https://metadata/ https://ⓛocalhost/ https://x.LOCAL/',
    'https://x.y.internal:8443/ https://localhost:8443/ https://xn--a/',
  ],
  port: [
    'https://loja.com.br:80/ https://loja.com.br:22/ https://loja.com.br:25/ https://loja.com.br:53/ https://loja.com.br:1/',
    'https://loja.com.br:445/ https://loja.com.br:993/ https://loja.com.br:1023/ https://loja.com.br:3306/ https://loja.com.br:5432/',
    'https://loja.com.br:6379/ https://loja.com.br:2375/ https://loja.com.br:11211/ https://loja.com.br:27017/ https://loja.com.br:9200/',
    'https://loja.com.br:10250/ https://loja.com.br:6443/ https://loja.com.br:8500/ https://8.8.8.8:5432/ https://[2606:4700::1111]:22/',
    'https://loja.com.br:0022/ https://loja.com.br:2049/ https://loja.com.br:6667/ https://loja.com.br:1433/ https://loja.com.br:444/',
  ],
  address: [
    'https://127.0.0.1/ https://127.0.0.1:8443/ https://127.1/ https://127.0.1/ https://0/ https://0.0.0.0/ https://0x0/ https://00/',
    'https://2130706433/ https://0x7f000001/ https://0X7F000001/ https://017700000001/ https://0177.0.0.1/ https://0x7f.0.0.1/',
    'https://0x7f.1/ https://0177.1/ https://127.0x0.0.01/ https://0x7f.0.0x0.1/ https://127.0.0.1./ https://127.255.255.255/',
    'https://１２７.０.０.１/ https://127。0。0。1/ https://127．0．0．1/ https://①②⑦.0.0.1/ https://127%2e0.0.1/ https://%31%32%37.0.0.1/',
    'https://10.0.0.1/ https://167772161/ https://012.0.0.1/ https://0xa000001/ https://10.1/ https://10.255.255.255/ https://0xa.1/',
    'https://172.16.0.1/ https://172.31.255.255/ https://2886729729/ https://0xac100001/ https://192.168.0.1/ https://3232235521/',
    'https://0xc0a80001/ https://0300.0250.0.1/ https://192.168.1/ https://169.254.169.254/ https://2852039166/ https://0xa9fea9fe/',
    'https://0251.0376.0251.0376/ https://169.254.43518/ https://0xa9.254.0251.254/ https://100.64.0.1/ https://1681915905/',
    'https://100.127.255.255/ https://192.0.0.1/ https://192.0.2.1/ https://192.88.99.1/ https://198.18.0.1/ https://198.19.255.255/',
    'https://198.51.100.7/ https://203.0.113.7/ https://224.0.0.1/ https://239.1.1.1/ https://240.0.0.1/ https://255.255.255.255/',
    'https://4294967295/ https://0xffffffff/ https://037777777777/ https://0.1.2.3/ https://134744072/ https://0x08080808/ https://8.8.2056/',
    'https://010.8.8.8/ https://8.8.8.8./ https://0x8.8.8.8/ https://８.8.8.8/',
    'https://[::]/ https://[::1]/ https://[0:0:0:0:0:0:0:1]/ https://[0000::0001]/ https://[::1]:8443/ https://[::7f00:1]/ https://[::127.0.0.1]/',
    'https://[::ffff:127.0.0.1]/ https://[::ffff:7f00:1]/ https://[::FFFF:7F00:1]/ https://[0:0:0:0:0:ffff:127.0.0.1]/ https://[::ffff:10.0.0.1]/',
    'https://[::ffff:169.254.169.254]/ https://[::ffff:8.8.8.8]/ https://[::8.8.8.8]/ https://[::ffff:0:127.0.0.1]/ https://[64:ff9b::127.0.0.1]/',
    'https://[64:ff9b::a9fe:a9fe]/ https://[64:ff9b::8.8.8.8]/ https://[64:ff9b:1::1]/ https://[100::1]/ https://[2001::1]/',
    'https://[2001:0:53aa:64c:0:7fff:80ff:fffe]/ https://[2001:10::1]/ https://[2001:20::1]/ https://[2001:db8::1]/ https://[2001:2::1]/',
    'https://[2002:7f00:1::]/ https://[2002:a9fe:a9fe::1]/ https://[2002:808:808::1]/ https://[3fff::1]/ https://[5f00::1]/',
    'https://[fc00::1]/ https://[fd00:ec2::254]/ https://[fdff::1]/ https://[fe80::1]/ https://[febf::1]/ https://[fec0::1]/ https://[feff::1]/',
    'https://[ff02::1]/ https://[ff0e::1]/ https://[4000::1]/ https://[8000::1]/ https://[e000::1]/ https://[1::1]/',
    'https://half.evil.com/ https://half6.evil.com/ https://first.evil.com/ https://many.evil.com/ https://zone.evil.com/ https://odd.evil.com/',
    'https://HALF.evil.com./ https://half.evil.com:8443/',
    ...Object.keys(NAMES)
      .filter((name) => /^n\d/.test(name))
      .map((name) => `https://${name}/`),
  ],
  unresolved: [
    'https://no.such.name.com/ https://127.0.0.1.nip.example/ https://xn--n3h.com/ https://loja.com.br.evil.example/',
  ],
  lookupFailed: ['https://broken.evil.com/'],
};

const TABLE = Object.entries(HOSTILE).flatMap(([reason, lines]) =>
  lines.flatMap((line) => line.split(' ')).map((url) => ({ url, reason })),
);

test('no hostile address can be registered in production, and each is refused for its own reason', async () => {
  assert.ok(TABLE.length >= 200 && new Set(TABLE.map(({ url }) => url)).size === TABLE.length);
  const surprises: string[] = [];
  for (const { url, reason } of TABLE) {
    const vetted = await vet(url);
    const came = vetted.ok ? `taken as ${vetted.url.href}` : vetted.reason;
    if (came !== reason) surprises.push(`${url}: ${came} instead of ${reason}`);
  }
  assert.deepEqual(surprises, []);
});

test('nor one that holds blanks or line breaks, or is longer than 500 characters', async () => {
  const reasonOf = async (text: string) => {
    const vetted = await vet(text);
    return vetted.ok ? 'taken' : vetted.reason;
  };
  for (const text of [
    ' https://loja.com.br/',
    'https://loja.com.br/ ',
    'https://loja.com.br/a b',
    'https://loja.com.br/\r\nx: y',
    'https://loja\n.com.br/',
    'https://127.0.0.1\t/',
    '\u0000https://loja.com.br/',
    'https://loja.com.br/\u00a0',
  ])
    assert.equal(await reasonOf(text), 'malformed', JSON.stringify(text));
  assert.equal(await reasonOf(`https://loja.com.br/${'a'.repeat(481)}`), 'tooLong');
  assert.equal(await reasonOf(`https://loja.com.br/${'é'.repeat(200)}`), 'tooLong', 'as it would be kept');
  assert.equal(await reasonOf('x'.repeat(100_000)), 'tooLong');
  assert.equal(await reasonOf(`https://loja.com.br/${'a'.repeat(480)}`), 'taken');
});

const GOOD: readonly (readonly [url: string, kept: string])[] = [
  ['https://loja.com.br', 'https://loja.com.br/'],
  ['https://loja.com.br/webhook?x=1&y=%20', 'https://loja.com.br/webhook?x=1&y=%20'],
  ['HTTPS://LOJA.com.BR/Caminho', 'https://loja.com.br/Caminho'],
  ['https://loja.com.br./a', 'https://loja.com.br/a'],
  ['https://loja.com.br:443/', 'https://loja.com.br/'],
  ['https://loja.com.br:8443/a', 'https://loja.com.br:8443/a'],
  ['https://loja.com.br:65535/', 'https://loja.com.br:65535/'],
  ['https://www.loja.com.br/../b', 'https://www.loja.com.br/b'],
  ['https://a_b.loja.com.br/', 'https://a_b.loja.com.br/'],
  ['https://lojaça.com.br/ção', 'https://xn--lojaa-1ra.com.br/%C3%A7%C3%A3o'],
  ['https://loja.example/retorno', 'https://loja.example/retorno'],
  ['https://8.8.8.8/a@b', 'https://8.8.8.8/a@b'],
  ['https://8.8.8.8:8443/', 'https://8.8.8.8:8443/'],
  ['https://[2606:4700:0:0::1111]/', 'https://[2606:4700::1111]/'],
  ['https://[2606:4700::1111]:8443/', 'https://[2606:4700::1111]:8443/'],
  ['https://172.32.0.1/', 'https://172.32.0.1/'],
  ['https://1.1.1.1/', 'https://1.1.1.1/'],
];

test('honest addresses are taken, and kept in one spelling', async () => {
  for (const [url, kept] of GOOD) {
    const vetted = await vet(url);
    assert.equal(vetted.ok ? vetted.url.href : vetted.reason, kept, url);
  }
});

test('homologation takes http and this machine, and still nothing else that is private', async () => {
  const rules = { takesHttp: true, takesLoopback: true, openedNetworks: [] };
  const reasonOf = async (text: string) => {
    const vetted = await vet(text, rules);
    return vetted.ok ? 'taken' : vetted.reason;
  };
  for (const url of [
    'http://127.0.0.1:3000/',
    'http://127.0.0.1/',
    'http://[::1]:3000/',
    'http://loja.com.br/',
  ])
    assert.equal(await reasonOf(url), 'taken', url);
  assert.ok(checkUrl(rules, 'http://localhost:3000/').ok);
  assert.ok(checkUrl(rules, 'http://loja.localhost:3000/').ok);
  for (const [url, reason] of [
    ['http://10.0.0.1/', 'address'],
    ['http://169.254.169.254/', 'address'],
    ['http://half.evil.com/', 'taken'],
    ['http://first.evil.com/', 'address'],
    ['http://postgres:3000/', 'name'],
    ['http://[::ffff:127.0.0.1]/', 'address'],
    ['http://127.1/', 'address'],
    ['http://user@127.0.0.1/', 'userInfo'],
    ['http://127.0.0.1:5432/', 'port'],
    ['http://127.0.0.1:443/', 'port'],
  ] as const)
    assert.equal(await reasonOf(url), reason, url);
});

test('what the operator opened is open: its addresses, their ports and the names that lead there', async () => {
  const rules = { ...PUBLIC_ONLY, openedNetworks: parseBlocks(['10.1.0.0/16']) };
  const reasonOf = async (text: string) => {
    const vetted = await vet(text, rules);
    return vetted.ok ? 'taken' : vetted.reason;
  };
  for (const url of [
    'https://10.1.2.3/',
    'https://10.1.2.3:81/',
    'https://erp.rede.lan/',
    'https://erp.rede.lan:5432/',
  ])
    assert.equal(await reasonOf(url), 'taken', url);
  for (const [url, reason] of [
    ['https://10.2.0.1/', 'address'],
    ['https://127.0.0.1/', 'address'],
    ['https://loja.com.br:22/', 'port'],
    ['https://8.8.8.8:22/', 'port'],
    ['https://many.evil.com/', 'address'],
    ['http://10.1.2.3/', 'scheme'],
    ['https://router.lan/', 'unresolved'],
  ] as const)
    assert.equal(await reasonOf(url), reason, url);
});

test('a name server that stays silent holds nobody longer than three seconds', async () => {
  const silent: Resolver = { lookup: () => new Promise(() => {}) };
  assert.deepEqual(await vetUrl({ ...PUBLIC_ONLY, resolver: silent }, 'https://loja.com.br/', 'loja'), {
    ok: false,
    reason: 'lookupFailed',
  });
});
