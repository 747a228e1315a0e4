// The acquirer of the test: the simulator behind a bridge with TLS, which does not say that it is one.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openUnnamedBridge } from '../../antifraud/production-service.ts';
import { openGuardedBridge } from '../../guarded/guarded-bridge.ts';
import { openSimulator } from '../../kit/service.ts';

const [folder = '', proof = ''] = process.argv.slice(2);
const textOf = (name: string) => readFileSync(join(folder, name), 'utf8');
const simulator = await openSimulator(join(folder, 'ledger'));
const unnamed = await openUnnamedBridge(simulator.url);
const own = { certificate: textOf('bridge.pem'), keyText: textOf('bridge.key') };
const clients = proof === 'certificate' ? { certificate: textOf('authority.pem') } : null;
const bridge = await openGuardedBridge(unnamed.url, own, clients, 8643);
if (proof !== 'certificate') bridge.letIn(proof);
console.log(`ready at ${bridge.url}`);
