import { type Answer, callerOf, type Route, route } from '../../platform/http/endpoint.ts';
import { refusalAnswer } from '../../platform/http/refusal.ts';
import type { Language } from '../../platform/http/sentence.ts';
import { type AdvanceResult, type AdvanceTools, advanceClock } from './advance-clock.ts';
import { ADVANCE_CLOCK, READ_CLOCK, readJumpRequest, writeArrival, writeReading } from './contract.ts';
import { readClock } from './read-clock.ts';
import { CLOCK_REFUSALS } from './refusals.ts';

/** What an answer may take beyond the wait for the clock. */
const ANSWER_MARGIN_MILLISECONDS = 10_000;

export function clockRoutes(tools: AdvanceTools): Route[] {
  const deadlineMilliseconds = tools.answerMilliseconds + ANSWER_MARGIN_MILLISECONDS;
  return [
    {
      ...route(ADVANCE_CLOCK, async (call) => {
        const result = await advanceClock(tools, callerOf(call).merchantId, readJumpRequest(call.body));
        return writeResult(result, call.language);
      }),
      deadlineMilliseconds,
    },
    route(READ_CLOCK, async (call) => ({
      status: 200,
      body: writeReading(await readClock(tools, callerOf(call).merchantId)),
    })),
  ];
}

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
