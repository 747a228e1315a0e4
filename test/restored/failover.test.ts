import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Addressed, adapted, deployedFile } from '../../chaos/failover/deployed-files.ts';
import { findingsOf, type StrikeResult } from '../../chaos/failover/findings.ts';
import { STRIKES } from '../../chaos/failover/strikes.ts';

const MACHINES: readonly Addressed[] = [1, 2, 3].map((number) => ({
  host: `198.18.0.${number}`,
  ports: {
    postgres: 5000 + number,
    rest: 8000 + number,
    etcdClient: 6000 + number,
    etcdPeer: 7000 + number,
  },
}));
const [, second] = MACHINES as [Addressed, Addressed];

test('the three files lead to the machines of the run', async () => {
  const etcd = await deployedFile('etcd.yml', second, MACHINES, { 'name: pg1': 'name: pg2' });
  assert.match(etcd, /^name: pg2$/m);
  assert.match(etcd, /^listen-client-urls: http:\/\/198\.18\.0\.2:6002$/m);
  assert.match(
    etcd,
    /^initial-cluster: pg1=http:\/\/198\.18\.0\.1:7001,pg2=.*,pg3=http:\/\/198\.18\.0\.3:7003$/m,
  );
  const patroni = await deployedFile('patroni.yml', second, MACHINES, { '10.0.0.0/24': '198.18.0.0/24' });
  assert.match(patroni, /^ {2}hosts: 198\.18\.0\.1:6001,198\.18\.0\.2:6002,198\.18\.0\.3:6003$/m);
  assert.match(patroni, /^ {2}listen: 198\.18\.0\.2:5002$/m);
  const proxy = await deployedFile('haproxy.cfg', null, MACHINES, { '127.0.0.1:5000': '127.0.0.1:1' });
  assert.match(proxy, /^ {4}bind 127\.0\.0\.1:1$/m);
  assert.match(proxy, /^ {4}server pg3 198\.18\.0\.3:5003 check port 8003$/m);
});

test('what is not there to be replaced, or leads elsewhere afterwards, ends the run', async () => {
  await assert.rejects(
    deployedFile('haproxy.cfg', null, MACHINES, { '127.0.0.1:5001': '127.0.0.1:1' }),
    /haproxy\.cfg has no 127\.0\.0\.1:5001 any more/,
  );
  const elsewhere = { file: 'etcd.yml', text: '# 10.0.0.9\nname: pg1\nlisten: http://10.0.0.11:2399' };
  assert.throws(() => adapted(elsewhere, second, MACHINES, {}), /leads elsewhere: listen: .*2399/);
});

test('a strike is found wanting by the longer pause, and where the primary is the one that was struck', () => {
  const [strike] = STRIKES;
  assert.ok(strike !== undefined);
  const well: StrikeResult = {
    ...{ strike, away: [900, strike.mostMilliseconds] },
    ...{ wholeMilliseconds: 9_000, struck: 'pg1', successor: 'pg2' },
  };
  assert.deepEqual(findingsOf(well), []);
  assert.deepEqual(findingsOf({ ...well, away: [900, 5_001] }), [
    'writes come back in time: switchover: away for 5001 ms',
  ]);
  assert.deepEqual(findingsOf({ ...well, successor: 'pg1' }), [
    'the primary is another one: switchover: pg1 was struck, and is the primary',
  ]);
});
