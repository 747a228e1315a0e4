const DAY_MILLISECONDS = 86_400_000;

/** Days are `YYYY-MM-DD` in São Paulo, as our database and the wire write them. */
export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MILLISECONDS).toISOString().slice(0, 10);
}

export function daysFrom(day: string, to: string): number {
  return (Date.parse(to) - Date.parse(day)) / DAY_MILLISECONDS;
}

export function laterOf(one: string, other: string): string {
  return one > other ? one : other;
}
