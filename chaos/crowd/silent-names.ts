import { createSocket } from 'node:dgram';
import { promises } from 'node:dns';
import { once } from 'node:events';

/**
 * Preloaded into a service (`NODE_OPTIONS=--import`): the machine's name servers are one on loopback
 * that takes questions and answers none, as those of a domain may that an attacker registered.
 */
const silent = createSocket('udp4');
silent.bind(0, '127.0.0.1');
await once(silent, 'listening');
silent.unref();
const server = `127.0.0.1:${silent.address().port}`;

type Resolver = InstanceType<typeof promises.Resolver>;

const { prototype } = promises.Resolver;
/** Servers cannot be set while a question is under way. */
const isSet = new WeakSet<Resolver>();
for (const name of ['resolve4', 'resolve6'] as const) {
  const resolve = prototype[name] as (this: Resolver, host: string) => Promise<unknown>;
  Object.assign(prototype, {
    [name](this: Resolver, host: string) {
      if (!isSet.has(this)) this.setServers([server]);
      isSet.add(this);
      return resolve.call(this, host);
    },
  });
}
