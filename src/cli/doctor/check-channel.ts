import { X509Certificate } from 'node:crypto';
import {
  type ChannelCredentials,
  type ChannelFiles,
  certificatesOf,
  readChannelFiles,
} from '../../platform/channels/channel-files.ts';
import { wordsOf } from '../../platform/channels/connection-words.ts';
import { type Channel, openChannel } from '../../platform/channels/open-channel.ts';
import { type Diagnosis, fault, fine, judgeClock, reasonOf, warning } from './diagnosis.ts';
import { type About, askAbout, findAddresses, greet } from './look-at-peer.ts';

export type Peer = {
  /** The peer's name in diagnoses: `acquirer`. */
  readonly name: string;
  /** The peer's name for people: `the bridge to the acquirer`. */
  readonly words: string;
  readonly setting: string;
  /** The setting that has the address; absent: `…_URL` of `setting`. */
  readonly urlSetting?: string;
  readonly url: string;
  readonly files: ChannelFiles;
  /** Days before the end of our certificate from which there is a warning; default: three weeks. */
  readonly soonDays?: number;
  /** Checks the peer's own protocol once it answers. Throws if the peer is unfit. */
  readonly check: ((channel: Channel) => Promise<string | null>) | null;
};

const CONNECT_MILLISECONDS = 3_000;
const DAY_MILLISECONDS = 24 * 60 * 60 * 1_000;
/** Certificates should be replaced well before they expire. */
const SOON_DAYS = 21;
/** `Date` has whole seconds and is written before it is sent. */
const DATE_SLACK_SECONDS = 1;

/** Checks files, name, connection and answer, in order. Stops at the first fault. */
export async function checkChannel(peer: Peer): Promise<Diagnosis[]> {
  const { name, words, url, files } = peer;
  const credentials = await readChannelFiles(files).catch((error: Error) => error);
  if (credentials instanceof Error)
    return [fault(`${name}.files`, credentials.message, 'put a file there that fits')];
  const own = [...checkAuthorities(peer, credentials), ...checkOwnCertificate(peer, credentials)];
  const address = new URL(url);
  const addresses = await findAddresses(address.hostname);
  if ('code' in addresses) {
    const says = `the name ${address.hostname} of ${urlSettingOf(peer)} leads nowhere (${wordsOf(addresses.code)})`;
    return [...own, fault(`${name}.dns`, says, 'mend the address, or the name servers of this machine')];
  }
  const greeting = await greet(address, credentials);
  if (greeting.kind === 'refused') return [...own, refusedDiagnosis(peer, address, greeting.code)];
  const ends = greeting.certificateEndsAt;
  const found = [
    ...own,
    ...(ends === null ? [] : [judgeEnd(`${name}.certificate`, `the certificate of ${words}`, ends)]),
  ];
  return [...found, ...(await checkAnswer(peer))];
}

function urlSettingOf({ setting, urlSetting = `${setting}_URL` }: Peer): string {
  return urlSetting;
}

async function checkAnswer(peer: Peer): Promise<Diagnosis[]> {
  const { name, words, setting, url, files, check } = peer;
  const named = urlSettingOf(peer);
  if (check === null) return [fine(`${name}.reached`, `${words} is reached`)];
  const channel = await openChannel(files, {
    connectTimeoutMilliseconds: CONNECT_MILLISECONDS,
    onFault: () => {},
  });
  try {
    const before = Date.now();
    const about = await askAbout(url, channel);
    if ('code' in about) {
      const says = `${words} does not answer /about (${wordsOf(about.code)})`;
      return [fault(`${name}.silent`, says, `look at the program at ${named}`)];
    }
    if (about.status === 401 || about.status === 403) {
      const says = `${words} does not believe us: it answered ${about.status}`;
      return [fault(`${name}.refused`, says, `mend ${setting}_TOKEN_FILE or ${setting}_CERTIFICATE_FILE`)];
    }
    const clock =
      about.date === null
        ? []
        : [judgeClock(`clock.${name}`, words, about.date, { before, after: Date.now() }, DATE_SLACK_SECONDS)];
    const stranger = strangeAnswer(about);
    if (stranger !== null) {
      const says = `${words} answers /about ${stranger}`;
      const advice = `see what stands at ${named}: another program, a proxy before the bridge, or its page for errors`;
      return [...clock, fault(`${name}.garbage`, says, advice)];
    }
    const complaint = await check(channel);
    if (complaint !== null)
      return [...clock, fault(`${name}.silent`, complaint, `look at the program at ${named}`)];
    return [...clock, fine(`${name}.fit`, `${words} answers and is fit`)];
  } catch (error) {
    const advice = `have it mended by its operator, or name in ${named} the one that is meant`;
    return [fault(`${name}.unfit`, reasonOf(error), advice)];
  } finally {
    channel.close();
  }
}

/** Why an answer is not of our protocols; null: it may be. */
function strangeAnswer({ status, garbage }: About): string | null {
  if (status !== 200) return `with status ${status}`;
  return garbage === null ? null : `with something that is no JSON (${garbage})`;
}

const UNTRUSTED = /CERT|SELF_SIGNED|ISSUER|SIGNATURE|ALTNAME/;

function refusedDiagnosis(peer: Peer, { host }: URL, code: string): Diagnosis {
  const { name, words, setting } = peer;
  if (code === 'CERT_HAS_EXPIRED')
    return fault(`${name}.tls`, `the certificate of ${words} has expired`, 'let its operator renew it');
  if (UNTRUSTED.test(code)) {
    const says = `the certificate of ${words} at ${host} is not believed (${wordsOf(code)})`;
    return fault(
      `${name}.tls`,
      says,
      `name its authority in ${setting}_CA_FILE, or let it show the right name`,
    );
  }
  const says = `${words} cannot be reached at ${host} (${wordsOf(code)})`;
  return fault(
    `${name}.unreachable`,
    says,
    `look at the program, the port and the firewall before ${urlSettingOf(peer)}`,
  );
}

export function checkOwnCertificate(
  { name, setting, soonDays = SOON_DAYS }: Pick<Peer, 'name' | 'setting' | 'soonDays'>,
  { clientCertificate }: ChannelCredentials,
): Diagnosis[] {
  if (clientCertificate === null) return [];
  const ends = new Date(new X509Certificate(clientCertificate.certificate).validTo);
  const which = `the certificate of ${setting}_CERTIFICATE_FILE`;
  return [judgeEnd(`${name}.ownCertificate`, which, ends, soonDays)];
}

/** If all authorities of a peer have ended, the peer is no longer trusted. */
export function checkAuthorities(
  { name, setting }: Pick<Peer, 'name' | 'setting'>,
  { ca }: ChannelCredentials,
): Diagnosis[] {
  const ends = certificatesOf(ca ?? '').map((one) => new X509Certificate(one).validToDate);
  if (ends.length === 0 || ends.some((end) => end.getTime() > Date.now())) return [];
  const says = `the authorities of ${setting}_CA_FILE have ended`;
  return [fault(`${name}.authority`, says, 'put the ones that are in use now into that file')];
}

function judgeEnd(name: string, which: string, endsAt: Date, soonDays = SOON_DAYS): Diagnosis {
  const days = Math.floor((endsAt.getTime() - Date.now()) / DAY_MILLISECONDS);
  if (days < 0) return fault(name, `${which} ended ${-days} days ago`, 'renew it');
  if (days < soonDays) return warning(name, `${which} ends in ${days} days`, 'renew it');
  return fine(name, `${which} is good for ${days} days`);
}
