import { type Answer, callerOf, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { refusalAnswer } from '../../platform/http/refusal.ts';
import type { Language } from '../../platform/http/sentence.ts';
import { type AdvanceResult, type AdvanceTools, advanceClock } from './advance-clock.ts';
import { ADVANCE_CLOCK, READ_CLOCK, readJumpRequest, writeArrival, writeReading } from './contract.ts';
import { readClock } from './read-clock.ts';
import { CLOCK_REFUSALS } from './refusals.ts';

/** The time of an answer beyond the wait for the clock. */
const ANSWER_MARGIN_MILLISECONDS = 10_000;

export const CLOCK_ENDPOINTS: readonly Endpoint<AdvanceTools>[] = [
  endpoint(
    ADVANCE_CLOCK,
    async (tools: AdvanceTools, call) => {
      const result = await advanceClock(tools, callerOf(call).merchantId, readJumpRequest(call.body));
      return writeResult(result, call.language);
    },
    { deadlineMilliseconds: ({ answerMilliseconds }) => answerMilliseconds + ANSWER_MARGIN_MILLISECONDS },
  ),
  endpoint(READ_CLOCK, async (tools: AdvanceTools, call) => ({
    status: 200,
    body: writeReading(await readClock(tools, callerOf(call).merchantId)),
  })),
];

function writeResult(result: AdvanceResult, language: Language): Answer {
  switch (result.kind) {
    case 'arrived':
      return { status: 200, body: writeArrival(result.reading) };
    case 'underWay':
      return { status: 202, body: writeReading(result.reading) };
    case 'refused':
      return refusalAnswer(CLOCK_REFUSALS[result.refusal], language);
  }
}
