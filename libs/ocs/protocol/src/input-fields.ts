import type { OcsParameters, ParameterValue } from './parameters';

/** A JSON Schema (2020-12), as in OpenAPI documents. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** An unusable parameter of a call; the message is for the caller. */
export class ParameterRefused extends Error {}

/**
 * One parameter of a call: how it is read, and its description for clients. Only `single` fields refuse values:
 * their `read` throws ParameterRefused.
 */
export interface InputField<T> {
  readonly read: (parameters: OcsParameters, name: string) => T;
  /** The form that clients should send; the reader accepts more. */
  readonly schema: JsonSchema;
  readonly about: string;
  /** Whether the call is refused without it. */
  readonly isRequired?: true;
}

/** The parameters of a call by name. Calls are read by these tables, and the API document is generated from them. */
export type InputFields = Readonly<Record<string, InputField<unknown>>>;

/** Values that a table of fields reads. */
export type InputOf<F extends InputFields> = {
  readonly [Name in keyof F]: F[Name] extends InputField<infer T> ? T : never;
};

/** The text as it was sent; undefined if it is missing or a list. */
export const text = (about: string, schema: JsonSchema = {}): InputField<string | undefined> => ({
  read: (parameters, name) => parameters.text(name),
  schema: { type: 'string', ...schema },
  about,
});

/** The number at the beginning of the text; undefined if it is missing. */
export const integer = (about: string, schema: JsonSchema = {}): InputField<number | undefined> => ({
  read: (parameters, name) => parameters.integer(name),
  schema: { type: 'integer', ...schema },
  about,
});

/** A whole number in digits, or a number of a JSON body; undefined for anything else. */
export const digits = (about: string, schema: JsonSchema = {}): InputField<number | undefined> => ({
  read: (parameters, name) => {
    const value = parameters.raw(name);
    if (typeof value === 'string') return /^\d{1,9}$/.test(value) ? Number(value) : undefined;
    return Number.isSafeInteger(value) ? (value as number) : undefined;
  },
  schema: { type: 'integer', ...schema },
  about,
});

/** The same field, but a list or map is refused: treating it as missing could make a share with more access than requested. */
export const single = <T>(field: InputField<T>): InputField<T> => ({
  ...field,
  read: (parameters, name) => {
    const value = parameters.raw(name);
    if (typeof value === 'object' && value !== null)
      throw new ParameterRefused(`The parameter ${name} takes a single value`);
    return field.read(parameters, name);
  },
});

/** Only the words `true` and `false` have an effect. */
export const switched = (about: string): InputField<boolean | undefined> => ({
  read: (parameters, name) => {
    const word = parameters.text(name);
    return word === 'true' ? true : word === 'false' ? false : undefined;
  },
  schema: { type: 'string', enum: ['true', 'false'] },
  about,
});

/** A list (`name[]=1&name[]=2`), or a single value. */
export const texts = (about: string): InputField<string[]> => ({
  read: (parameters, name) => parameters.texts(name),
  schema: { type: 'array', items: { type: 'string' } },
  about,
});

/** The value as it was sent, for callers that parse it themselves. */
export const anything = (about: string, schema: JsonSchema): InputField<ParameterValue | undefined> => ({
  read: (parameters, name) => parameters.raw(name),
  schema,
  about,
});

export const needed = <T>(field: InputField<T>): InputField<T> => ({ ...field, isRequired: true });

/** Reads a call's parameters by their table. @throws ParameterRefused */
export function readInput<F extends InputFields>(fields: F, parameters: OcsParameters): InputOf<F> {
  const input: Record<string, unknown> = {};
  for (const name in fields) input[name] = fields[name]!.read(parameters, name);
  return input as InputOf<F>;
}
