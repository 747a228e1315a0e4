import assert from 'node:assert/strict';

/** By name the type of each field, as an answer in the papers has it; a list has the shape of its items. */
export type RecordedShape = { readonly [name: string]: string | RecordedShape | readonly [RecordedShape] };

/** The answer may have more fields, never one less, and none of another type. */
export function assertShape(answer: unknown, recorded: RecordedShape, path = ''): void {
  assert.ok(typeof answer === 'object' && answer !== null, `${path} is no object`);
  for (const [name, type] of Object.entries(recorded)) {
    const value: unknown = (answer as Record<string, unknown>)[name];
    const at = `${path}.${name}`;
    if (typeof type === 'string') assert.equal(typeof value, type, at);
    else if (isItems(type)) {
      assert.ok(Array.isArray(value), `${at} is no list`);
      for (const item of value) assertShape(item, type[0], `${at}[]`);
    } else assertShape(value, type, at);
  }
}

function isItems(type: RecordedShape | readonly [RecordedShape]): type is readonly [RecordedShape] {
  return Array.isArray(type);
}
