import type { Dice } from './dice';
import { isForm, type FuzzRequest } from './fuzz-request';
import { mutateText } from './mutate-text';

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/** Changes a body by its grammar: members of JSON, fields of a form, elements of XML; or as plain text. */
export function mutateBody(request: FuzzRequest, dice: Dice): string {
  const { body } = request;
  if (dice.oneIn(6)) return mutateText(body, dice);
  if (isForm(request)) return mutateForm(body, dice);
  if (body.startsWith('<')) return mutateMarkup(body, dice);
  try {
    return JSON.stringify(mutateJson(JSON.parse(body) as Json, dice));
  } catch {
    return mutateText(body, dice);
  }
}

function mutateForm(body: string, dice: Dice): string {
  const pairs = [...new URLSearchParams(body)];
  if (pairs.length === 0) return mutateText(body, dice);
  const at = dice.below(pairs.length);
  const [name, value] = pairs[at]!;
  switch (dice.below(5)) {
    case 0:
      pairs.splice(at, 1);
      break;
    case 1:
      pairs.push([name, mutateText(value, dice)]);
      break;
    case 2:
      pairs[at] = [dice.of([`${name}[]`, `${name}[a][b]`, mutateText(name, dice)]), value];
      break;
    default:
      pairs[at] = [name, mutateText(value, dice)];
  }
  return new URLSearchParams(
    pairs.map(([key, text]): [string, string] => [key.toWellFormed(), text.toWellFormed()]),
  ).toString();
}

function mutateMarkup(body: string, dice: Dice): string {
  const tags = body.match(/<[^>]*>/g) ?? [];
  if (tags.length === 0) return mutateText(body, dice);
  const tag = dice.of(tags);
  const other = dice.of(['', tag + tag, dice.of(tags), mutateText(tag, dice), tag.repeat(200)]);
  return body.replace(tag, () => other);
}

/** Removes, duplicates or enlarges a random member of the document, or changes its type. */
function mutateJson(value: Json, dice: Dice): Json {
  const isLeaf = typeof value !== 'object' || value === null;
  if (isLeaf || dice.oneIn(8)) return otherJson(value, dice);
  if (Array.isArray(value)) {
    const at = dice.below(value.length + 1);
    return dice.oneIn(3) || value.length === 0
      ? [...value.slice(0, at), otherJson(null, dice), ...value.slice(at)]
      : value.map((item, index) => (index === at ? mutateJson(item, dice) : item));
  }
  const names = Object.keys(value);
  if (names.length === 0) return { [mutateText('name', dice)]: otherJson(null, dice) };
  const name = dice.of(names);
  const { [name]: chosen, ...rest } = value;
  if (dice.oneIn(4)) return rest;
  if (dice.oneIn(5)) return { ...rest, [mutateText(name, dice)]: chosen! };
  return { ...value, [name]: mutateJson(chosen!, dice) };
}

function otherJson(value: Json, dice: Dice): Json {
  switch (dice.below(8)) {
    case 0:
      return null;
    case 1:
      return dice.of([0, -1, 1e308, 2 ** 53, 0.5, true, false]);
    case 2:
      return [value];
    case 3:
      return { value };
    case 4:
      return nested(dice.of([3, 9, 300]));
    default:
      return mutateText(typeof value === 'string' ? value : JSON.stringify(value), dice);
  }
}

const nested = (depth: number): Json => (depth === 0 ? 'deep' : { a: [nested(depth - 1)] });
