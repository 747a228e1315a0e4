import type { Merchant } from '../../merchants/merchant.ts';
import type { AnswerOf, AnswerStream, Contract, WireError } from '../../platform/http/endpoint.ts';
import type { SpokenRefusal } from '../../platform/http/refusal.ts';
import type { SheetCell } from '../../platform/workbooks/xlsx.ts';
import { type Html, html, type Shown } from './html.ts';
import { ROLES, type Role, type User } from './user.ts';
import type { Wording } from './wording.ts';

/** Forms of a page may change this many last digits of its key. */
export const ONCE_ENDING = 4;

/** Each form of a page has its own key; otherwise the second would count as the first sent again. */
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

/** Forms of homologation, which make happen to a thing what in production only time and others do. */
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

/** `notFound` also hides what the user may not see. */
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
  /** Whether the menu has it. Absent: always. `merchantId` null: no merchant is chosen. */
  readonly isOffered?: (merchantId: string | null, tools: Tools) => Promise<boolean>;
  /** Absent: the page does not reload itself. */
  readonly refreshSeconds?: number;
  readonly isFile?: true;
  /** For fields that must not be in an address, or are the user's own. Changes to a merchant are actions. */
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

/** What an action would move, by the books. */
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

/** For acts without an endpoint: a module's operation, by its name in the audit log. */
type Performing<Tools> = {
  readonly operation: string;
  /** Works while all work is held, because it locks somebody out. */
  readonly isForHeld?: true;
  readonly perform: (visit: Visit, form: Form, tools: Tools) => Promise<Asked<unknown>>;
};

/** A form of a page. Everything but a question needs a reason, which is audited first. */
export type Action<Tools = unknown> = (AskingEndpoint | Performing<Tools>) &
  Where & {
    /** For actions that move money. Above the operator's limit a second person is asked first. */
    readonly moves?: (visit: Visit, form: Form, tools: Tools) => Promise<Asked<Moved | null>>;
    /** Paths of actions on the same thing: none of them may be under way at the same time. */
    readonly rivals?: readonly string[];
    /** Describes the other fields of `moves` to the person who approves. */
    readonly saysOf?: (fields: Form, wording: Wording) => string;
    /** Cents, for the audit log and the history. */
    readonly amountOf?: (form: Form) => number | null;
    /** Further fields of the form for the audit log. */
    readonly detailOf?: (form: Form) => Readonly<Record<string, string>>;
    /** The fault that every reader would find, in the form's words. */
    readonly faultOf?: (form: Form) => string | null;
    /** After a refusal: the form with its typed values. Absent: the page has the form. */
    readonly again?: (visit: Visit, typed: Form, tools: Tools) => Shown | Promise<Shown>;
    /** The action asks somebody else, or records a statement: it changes nothing, so it needs no reason. */
    readonly needsNoReason?: true;
    readonly done: string;
    /** Shown once and never again. Absent: leads to the next page. */
    readonly reveal?: (answered: unknown, visit: Visit, form: Form) => Html;
    /** The next page. Without `answered` after a refusal. */
    readonly next: (visit: Visit, answered?: unknown) => string;
  };

export function operationOf(action: Action<never>): string {
  return 'contract' in action ? action.contract.id : action.operation;
}

/** A merchant's user has access to that merchant only. */
export function mayUse({ roles, of }: Pick<Where, 'roles' | 'of'>, user: User): boolean {
  return roles.includes(user.role) && (of === 'merchant' || user.merchantId === null);
}

/** Users who may create something to be paid. It charges nobody by itself. */
export const MAY_SELL = {
  roles: ['support', 'finance', 'admin'],
  of: 'merchant',
} as const satisfies Pick<Where, 'roles' | 'of'>;

export const ALL_ROLES: readonly Role[] = ROLES;
/** Seen by every user of a merchant; the second: of the operator. */
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
      /** The endpoint answered by the kept outcome of the request's key. */
      readonly isReplayed?: boolean;
    };

/** Texts of a page. The endpoint's reader checks them like those of the API. */
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

/** Leaves out what every request has. */
function curlOf({ contract: { method, path }, body }: ShownRequest): string {
  const sent = body === undefined ? '' : ` -H "Content-Type: application/json" -d '${JSON.stringify(body)}'`;
  const asked = method === 'GET' ? '' : ` -X ${method}`;
  return `curl${asked} "$URL${path}" -H "Authorization: Bearer $TOKEN"${sent}`;
}

export function shownRequests(requests: readonly ShownRequest[]): Html {
  return html`<pre class="scroll" tabindex="0"><code>${requests.map((request) => `${curlOf(request)}\n`)}</code></pre>`;
}
