import { Type } from 'typebox';
import { type CheckedRule, has, hasValue, lacks, when, withField } from '../platform/http/checked.ts';
import type { Fault } from '../platform/http/endpoint.ts';
import { named } from '../platform/http/named.ts';
import { REQUIRED } from '../platform/http/schema-faults.ts';
import {
  AUTHENTICATION_RESULTS,
  AUTHENTICATION_VERSION,
  type Authentication,
  type AuthenticationSummary,
  authenticationResult,
} from '../providers/acquirers/authentication.ts';
import type { AuthenticationField } from './payment.ts';
import { AUTHENTICATION_FAULTS } from './refusals.ts';

const ECI = Type.String({
  maxLength: 2,
  format: 'eci',
  description: 'The indicator of the authentication. With 01, 02, 05 and 06 its proof is required.',
});
const PROOF = { maxLength: 28, format: 'base64Of20Bytes', mayHoldCard: true };
const VERSION = { maxLength: 5, format: 'threeDSVersion' };

/** The indicators that come with the issuer's proof. */
const PROVED = /^0?[1256]$/;
const IS_PROVED: CheckedRule = {
  required: ['eci'],
  properties: { eci: { type: 'string', pattern: PROVED.source } },
};

export const THREE_D_SECURE = named(
  'ThreeDSecureRequest',
  {
    eci: ECI,
    cavv: Type.Optional(
      Type.String({
        ...PROOF,
        description: "The issuer's proof (CAVV, AAV, UCAF). It goes to the acquirer and is never stored.",
      }),
    ),
    dsTransactionId: Type.Optional(
      Type.String({
        maxLength: 36,
        format: 'guid',
        description: 'dsTransID of the authentication. This or xid goes with the proof.',
      }),
    ),
    xid: Type.Optional(Type.String({ ...PROOF, description: 'Where your provider names one.' })),
    version: Type.Optional(
      Type.String({ ...VERSION, description: 'Of the protocol, such as 2.2.0; 2 if absent.' }),
    ),
  },
  {
    checked: when(IS_PROVED, { ...has('cavv'), ...when(lacks('xid'), has('dsTransactionId')) }),
  },
);

/** The names in `sellerInfo` that gateways of this family use. */
export const FAMILY_FIELDS = {
  eci: Type.Optional({
    ...ECI,
    description: 'As threeDSecure.eci, which this and the next three stand for.',
  }),
  cavvUcaf: Type.Optional(Type.String({ ...PROOF, description: 'As threeDSecure.cavv.' })),
  xid: Type.Optional(
    Type.String({
      maxLength: 36,
      format: 'xidOrGuid',
      mayHoldCard: true,
      description: 'As threeDSecure.xid, or as dsTransactionId where it is a GUID. Goes with the proof.',
    }),
  ),
  programProtocol: Type.Optional(Type.String({ ...VERSION, description: 'As threeDSecure.version.' })),
};
const FAMILY_NAMES = ['eci', 'cavvUcaf', 'xid', 'programProtocol'];
export const FAMILY_CHECKED = when(
  IS_PROVED,
  has('cavvUcaf', 'xid'),
  when(lacks('cavvUcaf', 'xid', 'programProtocol'), {}, has('eci')),
);
export const ONE_AUTHENTICATION = when(
  hasValue('threeDSecure'),
  withField('sellerInfo', { type: 'object', ...lacks(...FAMILY_NAMES) }),
);

type Loose = Readonly<Record<string, unknown>>;

/** The body may be malformed in any way: the schema reports wrong types. */
export function checkAuthentication(
  { threeDSecure, sellerInfo }: { readonly threeDSecure?: unknown; readonly sellerInfo?: unknown },
  isOffered: boolean,
): Fault[] {
  const own = looseOf(threeDSecure);
  const family = looseOf(sellerInfo);
  const isOfFamily = FAMILY_NAMES.some((name) => family?.[name] !== undefined);
  const faults: Fault[] = [];
  if (own !== null && isOfFamily) faults.push(AUTHENTICATION_FAULTS.authenticatedTwice);
  const field = own === null ? 'sellerInfo' : 'threeDSecure';
  if ((own !== null || isOfFamily) && !isOffered)
    faults.push(AUTHENTICATION_FAULTS[`authenticationNotOffered:${field}`]);
  if (own !== null) faults.push(...missing(own, 'threeDSecure', isProved(own) ? ['cavv'] : []));
  if (own !== null && isProved(own) && own.xid === undefined)
    faults.push(...missing(own, 'threeDSecure', ['dsTransactionId']));
  if (family !== null && isOfFamily)
    faults.push(...missing(family, 'sellerInfo', isProved(family) ? ['cavvUcaf', 'xid'] : ['eci']));
  return faults;
}

function looseOf(value: unknown): Loose | null {
  return typeof value === 'object' && value !== null ? (value as Loose) : null;
}

function isProved({ eci }: Loose): boolean {
  return typeof eci === 'string' && PROVED.test(eci);
}

function missing(fields: Loose, place: AuthenticationField, names: readonly string[]): Fault[] {
  return names
    .filter((name) => fields[name] === undefined)
    .map((name) => ({ tag: `${place}.${name}`, sentence: REQUIRED }));
}

type OwnFields = {
  readonly eci: string;
  readonly cavv?: string;
  readonly dsTransactionId?: string;
  readonly xid?: string;
  readonly version?: string;
};
type FamilyFields = {
  readonly eci?: string;
  readonly cavvUcaf?: string;
  readonly xid?: string;
  readonly programProtocol?: string;
};

export function readAuthentication(
  own: OwnFields | undefined,
  family: FamilyFields,
): (Authentication & { readonly field: AuthenticationField }) | null {
  if (own !== undefined) {
    const { eci, cavv = null, xid = null, dsTransactionId = null, version } = own;
    const named = { cavv, xid, dsTransactionId: dsTransactionId?.toLowerCase() ?? null };
    return { ...summaryOf(eci, version), ...named, field: 'threeDSecure' };
  }
  const { eci, cavvUcaf = null, xid, programProtocol } = family;
  if (eci === undefined) return null;
  const isGuid = xid?.includes('-') === true;
  const ids = {
    xid: isGuid ? null : (xid ?? null),
    dsTransactionId: isGuid ? xid.toLowerCase() : null,
  };
  return { ...summaryOf(eci, programProtocol), cavv: cavvUcaf, ...ids, field: 'sellerInfo' };
}

function summaryOf(eci: string, version: string | undefined): AuthenticationSummary {
  return { eci: eci.padStart(2, '0'), version: version ?? AUTHENTICATION_VERSION };
}

export const THREE_D_SECURE_ANSWER = Type.Optional(
  named('ThreeDSecure', {
    eci: Type.String(),
    version: Type.String(),
    result: Type.Enum([...AUTHENTICATION_RESULTS], {
      description: 'authenticated: eci 05 or 02; attempted: 06 or 01; notAuthenticated: any other.',
    }),
  }),
);

export function writeAuthentication(summary: AuthenticationSummary | null): object {
  if (summary === null) return {};
  const { eci, version } = summary;
  return { threeDSecure: { eci, version, result: authenticationResult(eci) } };
}
