import type { Reader } from '../../platform/postgres/database.ts';
import { type Action, mayUse, type Visit } from '../parts/screen.ts';
import type { ConsoleTools } from '../screens.ts';
import { isOneHand } from '../second-person/hands.ts';
import { findHands, listRequests } from '../second-person/requests.sql.ts';
import { approvalFault, declineFault, MOST_REQUESTS_SHOWN, stateOf } from '../second-person/second-person.ts';
import type { ShownRequest } from '../second-person/waiting-screens.ts';
import { askedFor } from './decide-request.ts';

/** What waits for a second person, and which buttons this one gets. */
export async function listWaiting(
  { reader, actions }: { readonly reader: Reader; readonly actions: readonly Action<ConsoleTools>[] },
  { merchantId, user, wording }: Visit,
): Promise<readonly ShownRequest[]> {
  const found = await listRequests(reader, merchantId === '' ? null : merchantId, MOST_REQUESTS_SHOWN);
  const waiting = found.filter((one) => stateOf(one) === 'waiting');
  const hands = await findHands(reader, [user.userId, ...waiting.map((one) => one.requester.userId)]);
  return found.map((one) => {
    const action = askedFor(actions, one)?.action ?? null;
    const may = action !== null && mayUse(action, user);
    // What else is looked at is said when the button is pressed.
    const decider = {
      user,
      isOneHand: isOneHand(hands.get(user.userId), hands.get(one.requester.userId)),
      isNewcomer: false,
      isRequesterNew: false,
      mayBoth: may,
    };
    const fault = approvalFault(one, decider);
    return {
      ...one,
      title: action?.title ?? one.request.operation,
      says: action?.saysOf?.(one.request.fields, wording) ?? null,
      mayApprove: fault === null,
      isOneHand: fault === 'oneHand',
      mayDecline: declineFault(one, may, user) === null,
    };
  });
}
