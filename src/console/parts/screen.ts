import type { Merchant } from '../../merchants/merchant.ts';
import type { AnswerOf, AnswerStream, Contract, WireError } from '../../platform/http/endpoint.ts';
import type { SpokenRefusal } from '../../platform/http/refusal.ts';
import type { SheetCell } from '../../platform/workbooks/xlsx.ts';
import { type Html, html, type Shown } from './html.ts';
import { ROLES, type Role, type User } from './user.ts';
import type { Wording } from './wording.ts';

/** How many of the last digits of a page's key differ between the page's forms. */
export const ONCE_ENDING = 4;

/**
 * Each form of a page has its own key: with the page's key, a second form would count as the first one sent
 * again.
 */
export function onceKeyOf({ onceKey }: Pick<Visit, 'onceKey'>, number: number): string {
  return `${onceKey.slice(0, -ONCE_ENDING)}${number.toString(16).padStart(ONCE_ENDING, '0')}`;
}

export type Visit = {
  readonly user: User;
  readonly merchantId: string;
  readonly accountNumbers: readonly string[];
  readonly parameters: Readonly<Record<string, string>>;
  /** Each name appears once. Empty values are left out. */
  readonly query: Readonly<Record<string, string>>;
  /** Empty unless the screen takes a form and it was sent. */
  readonly form: Form;
  /** Normalized, without the query. */
  readonly path: string;
  readonly wording: Wording;
  readonly ask: Ask;
  /** An `ask` for another merchant, with its own key. */
  readonly askFor: (merchant: Merchant | null, onceKey: string) => Ask;
  readonly address: string;
  /** The console's public origin. Null if unknown. */
  readonly origin: string | null;
  /** Milliseconds: the merchant's business time, which homologation may move, or else real time. */
  readonly now: number;
  /** Milliseconds. */
  readonly realNow: number;
  readonly isHomologation: boolean;
  /** Null in production, where only time and others make things happen. */
  readonly happenings: Happenings | null;
  /** Proves that a form comes from this page. */
  readonly formMark: string;
  /** The key of this page's form: sent twice, it acts once. */
  readonly onceKey: string;
};

type Happening<Thing> = (thing: Thing, visit: Visit) => Shown;

/** Forms of homologation. They bring about what in production only time or other parties do to a thing. */
export type Happenings = {
  readonly toPayment: Happening<{
    readonly paymentId: string;
    readonly installments: readonly { readonly installmentNumber: number }[];
  }>;
  readonly toBoleto: Happening<{ readonly id: string }>;
  readonly toBilling: Happening<{
    readonly id: string;
    readonly status: string;
    readonly nextChargeOn?: string | undefined;
  }>;
  readonly toDelivery: Happening<{ readonly status: string; readonly nextTryAt: string | null }>;
};

/** `notFound` also hides what the user may not see. `leadsTo`: the path of a page to open instead. */
export type Read<Found> = Found | 'notFound' | { readonly leadsTo: string };

export type Beside<Row, Tools> = (
  rows: readonly Row[],
  visit: Visit,
  tools: Tools,
) => Promise<readonly Row[]>;

export type SheetKind = 'csv' | 'xlsx';

export type Sheet = {
  readonly kind: SheetKind;
  readonly language: Wording['language'];
  readonly heads: readonly string[];
  readonly rows: AsyncIterable<readonly (readonly SheetCell[])[]>;
};

export type Download = { readonly name: string } & (
  | { readonly type: string; readonly content: string | Buffer }
  /** A file of any length. `filters` are for the audit log. */
  | {
      readonly sheet: Sheet;
      readonly stream: AnswerStream;
      readonly filters: Readonly<Record<string, string | undefined>>;
    }
);

export type Where = {
  /** Below `/console`. Paths of a merchant begin with `/merchants/{merchantId}`. */
  readonly path: string;
  readonly roles: readonly Role[];
  /** `operator`: only for users without a merchant. */
  readonly of: 'merchant' | 'operator';
  readonly title: string;
};

/** One page: who may see it, what it reads, and how it is shown. */
export type Screen<Tools> = Where & {
  /** Whether the menu has the page. Absent: always. `merchantId` null: no merchant is chosen. */
  readonly isOffered?: (merchantId: string | null, tools: Tools) => Promise<boolean>;
  /** Absent: the page does not reload itself. */
  readonly refreshSeconds?: number;
  readonly isFile?: true;
  /**
   * The page takes a form: for fields that must not be in an address, or that only change the user's own
   * settings. Whatever changes a merchant's things is an action.
   */
  readonly takesForm?: true;
  readonly show: (visit: Visit, tools: Tools) => Promise<Read<Html> | Download>;
};

export function screen<Tools, Found>(
  declared: Omit<Screen<Tools>, 'show'> & {
    readonly read: (visit: Visit, tools: Tools) => Promise<Read<Found>>;
    readonly view: (found: Found, visit: Visit) => Html;
  },
): Screen<Tools> {
  const { read, view, ...where } = declared;
  return {
    ...where,
    async show(visit, tools) {
      const found = await read(visit, tools);
      if (found === 'notFound' || leads(found)) return found as Read<Html>;
      return view(found as Found, visit);
    },
  };
}

function leads(found: unknown): found is { readonly leadsTo: string } {
  return typeof found === 'object' && found !== null && 'leadsTo' in found;
}

export type Form = Readonly<Record<string, string>>;

export function readForm(value: unknown): Form | undefined {
  const isForm = Object.values(Object(value)).every((field) => typeof field === 'string');
  return isForm ? (value as Form) : undefined;
}

/** The money that an action would move, as the records say. */
export type Moved = {
  /** Cents. */
  readonly amount: number;
  /** The amount plus earlier movements of its kind. The limit applies to this. */
  readonly counted: number;
  /** The state of the object. If it differs later, the object has changed. */
  readonly standing: string;
  readonly fields: Form;
};

type AskingEndpoint = {
  readonly contract: Contract;
  readonly asks: (visit: Visit, form: Form) => Given;
};

/** An act that no endpoint does. `operation`: the module's operation, by its name in the audit log. */
type Performing<Tools> = {
  readonly operation: string;
  /** May be done while all work is held, because it locks somebody out. */
  readonly isForHeld?: true;
  readonly perform: (visit: Visit, form: Form, tools: Tools) => Promise<Asked<unknown>>;
};

/**
 * A form of a page that does something. It needs a reason, unless `needsNoReason`; the reason is audited
 * before anything is done.
 */
export type Action<Tools = unknown> = (AskingEndpoint | Performing<Tools>) &
  Where & {
    /**
     * Only actions that move money have it: what this form would move; null: nothing. Above the operator's
     * limit a second person is asked first.
     */
    readonly moves?: (visit: Visit, form: Form, tools: Tools) => Promise<Asked<Moved | null>>;
    /** Paths of actions on the same thing: none of them may be under way at the same time. */
    readonly rivals?: readonly string[];
    /** Describes the other fields of `moves` to the person who approves. */
    readonly saysOf?: (fields: Form, wording: Wording) => string;
    /** Cents, for the audit log and the history. */
    readonly amountOf?: (form: Form) => number | null;
    /** Further fields of the form for the audit log. */
    readonly detailOf?: (form: Form) => Readonly<Record<string, string>>;
    /** A fault of the form, in its own words, for which the endpoint would refuse it too. Null: none. */
    readonly faultOf?: (form: Form) => string | null;
    /** After a refusal: the form with its typed values. Absent: the page has the form. */
    readonly again?: (visit: Visit, typed: Form, tools: Tools) => Shown | Promise<Shown>;
    /** The action asks somebody else, or records a statement: it changes nothing, so it needs no reason. */
    readonly needsNoReason?: true;
    readonly done: string;
    /** What is shown once and never again, such as a secret. Absent: the next page follows. */
    readonly reveal?: (answered: unknown, visit: Visit, form: Form) => Html;
    /** The path of the next page. After a refusal there is no `answered`. */
    readonly next: (visit: Visit, answered?: unknown) => string;
  };

export function operationOf(action: Action<never>): string {
  return 'contract' in action ? action.contract.id : action.operation;
}

/** Whether the user's role is among `roles`. Only users of the operator may use the operator's pages. */
export function mayUse({ roles, of }: Pick<Where, 'roles' | 'of'>, user: User): boolean {
  return roles.includes(user.role) && (of === 'merchant' || user.merchantId === null);
}

/** Users who may create something to be paid, such as a payment link. Creating it charges nobody. */
export const MAY_SELL = {
  roles: ['support', 'finance', 'admin'],
  of: 'merchant',
} as const satisfies Pick<Where, 'roles' | 'of'>;

export const ALL_ROLES: readonly Role[] = ROLES;
/** `OF_MERCHANT`: for every user who may see the merchant. `OF_OPERATOR`: for every user of the operator. */
export const OF_MERCHANT = { roles: ALL_ROLES, of: 'merchant' } as const;
export const OF_OPERATOR = { roles: ALL_ROLES, of: 'operator' } as const;

/** Pages link to the audit log only for these users. */
export const MAY_SEE_AUDIT = { roles: ['operator', 'admin'], of: 'operator' } as const;

export type Asked<Body> =
  | { readonly ok: true; readonly status: number; readonly body: Body }
  | {
      readonly ok: false;
      readonly status: number;
      readonly errors: readonly WireError[];
      /** The endpoint did nothing now: it answered with the outcome kept under the request's key. */
      readonly isReplayed?: boolean;
    };

/** What a page sends to an endpoint. The endpoint's reader checks it like a request of the API. */
export type Given = {
  readonly parameters?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
};

export type Ask = <Declared extends Contract>(
  contract: Declared,
  given: Given,
) => Promise<Asked<AnswerOf<Declared>>>;

export function operationRefused(status: 400 | 404 | 409 | 429, description: string): Asked<never> {
  return { ok: false, status, errors: [{ tag: '', description }] };
}

export function refusedAs(
  { wording }: Visit,
  { status, text, most }: SpokenRefusal,
  value?: string,
): Asked<never> {
  return operationRefused(status, wording.say(text, { most, value }));
}

/** The thing changed between a page and its form. */
export const NOT_AS_SEEN = {
  status: 409,
  text: 'It has changed since you looked: see how it is now, and ask again.',
} as const satisfies SpokenRefusal;

export const OPERATION_DONE: Asked<null> = { ok: true, status: 200, body: null };

export type ShownRequest = {
  readonly contract: Pick<Contract, 'method' | 'path'>;
  readonly body?: unknown;
};

/** The request as a command for curl. The reader sets URL and TOKEN. */
function curlOf({ contract: { method, path }, body }: ShownRequest): string {
  const sent = body === undefined ? '' : ` -H "Content-Type: application/json" -d '${JSON.stringify(body)}'`;
  const asked = method === 'GET' ? '' : ` -X ${method}`;
  return `curl${asked} "$URL${path}" -H "Authorization: Bearer $TOKEN"${sent}`;
}

export function shownRequests(requests: readonly ShownRequest[]): Html {
  return html`<pre class="scroll" tabindex="0"><code>${requests.map((request) => `${curlOf(request)}\n`)}</code></pre>`;
}
