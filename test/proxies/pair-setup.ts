import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Demo } from '../../homologation/create-demo-merchant.ts';
import { keyFileIn } from '../kit/keys.ts';
import {
  type Auditor,
  databaseSettings,
  demoIn,
  furnishedDatabase,
  openAuditor,
  openSimulator,
  type Service,
  startService,
} from '../kit/service.ts';
import { type CuttingProxy, openCuttingProxy } from '../kit/wire-cutter.ts';
import { freePort } from './proxies.ts';

/** Two processes on one database and one acquirer, each on a port that it keeps over its restarts. */
export type PairSetup = {
  readonly folder: string;
  readonly ports: readonly [number, number];
  readonly services: [Service, Service];
  readonly demo: Demo;
  readonly auditor: Auditor;
  readonly simulatorUrl: string;
  /** Between both processes and their database. */
  readonly wire: CuttingProxy;
  /** SIGTERM, the end, and a new start in its place. */
  restart(which: 0 | 1): Promise<void>;
  close(): Promise<void>;
};

export async function openPairSetup(more: Readonly<Record<string, string>> = {}): Promise<PairSetup> {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-pair-'));
  const database = await furnishedDatabase(folder, more);
  const simulator = await openSimulator(join(folder, 'ledger'));
  const auditor = openAuditor(database.address);
  const wire = await openCuttingProxy(database.runtime);
  const demo = await demoIn(folder);
  const ports = [await freePort(), await freePort()] as const;
  const start = (which: 0 | 1) =>
    startService({
      folder,
      settings: {
        ...databaseSettings(database, wire.address),
        PARCELA_PORT: String(ports[which]),
        PARCELA_METRICS_PORT: '0',
        PARCELA_ACQUIRER_URL: simulator.url,
        PARCELA_KEY_FILE: keyFileIn(folder),
        PARCELA_TRUSTED_PROXIES: '127.0.0.1',
        PARCELA_LOG_LEVEL: 'error',
        ...more,
      },
    });
  const services: [Service, Service] = [await start(0), await start(1)];
  return {
    folder,
    ports,
    services,
    demo,
    auditor,
    simulatorUrl: simulator.url,
    wire,
    async restart(which) {
      const code = await services[which].stop();
      if (code !== 0) throw new Error(`the process ended with ${code}`);
      services[which] = await start(which);
    },
    async close() {
      await Promise.all(services.map((service) => service.stop()));
      await simulator.stop();
      await wire.close();
      await auditor.close();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
