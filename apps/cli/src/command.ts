import type { ParseArgsConfig } from 'node:util';
import { UsageError } from './command-failed';
import type { Instance } from './instance';

/** Output of a command: rows of a table, or one record. --json prints it unchanged. */
export type Output =
  | { readonly kind: 'rows'; readonly rows: readonly Readonly<Record<string, unknown>>[] }
  | { readonly kind: 'record'; readonly record: Readonly<Record<string, unknown>> }
  /** A sentence about the result; with --json the record. */
  | {
      readonly kind: 'done';
      readonly sentence: string;
      readonly record: Readonly<Record<string, unknown>>;
      /** Printed nevertheless, with exit code 1. */
      readonly isBad?: boolean;
      /** Standard output contains something else, so the sentence goes to standard error. */
      readonly isBeside?: boolean;
    }
  /** Lines for people; with --json the record. */
  | {
      readonly kind: 'report';
      readonly lines: readonly string[];
      readonly record: Readonly<Record<string, unknown>>;
      readonly exitCode: number;
    };

/** Parsed arguments: positional ones by their names in `usage`, options by name. */
export interface CommandInput {
  readonly arguments: Readonly<Record<string, string>>;
  /** Arguments after the command's words. */
  readonly rest: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;
}

/** One command of `drawbridge`. */
export interface Command {
  /** The words of the command: `user add`. */
  readonly name: string;
  /** Names of its positional arguments, all of them required. */
  readonly arguments: readonly string[];
  /** Name of further arguments, which must follow at least once; without it none may follow. */
  readonly rest?: string;
  readonly options: NonNullable<ParseArgsConfig['options']>;
  /** Syntax of the options in the usage text. */
  readonly optionsUsage: string;
  readonly summary: string;
  /** Whether it also runs on an older schema. */
  readonly anySchema?: boolean;
  /** Output for an unreadable configuration, instead of a refusal; one sentence for each value. */
  refused?(sentences: readonly string[]): Output;
  /** Runs the command. It has to ask people before anything else, because `instance.open()` may start a database. */
  run(input: CommandInput, instance: Instance): Promise<Output>;
}

/** A text option; undefined if it is missing. */
export function textOption(input: CommandInput, name: string): string | undefined {
  const value = input.options[name];
  return typeof value === 'string' ? value : undefined;
}

/** A numeric option. @throws UsageError if it is not a whole number */
export function countOption(input: CommandInput, name: string): number | undefined {
  const text = textOption(input, name);
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new UsageError(`--${name} takes a whole number.`);
  return Number(text);
}

/** An option that may be repeated. */
export function listOption(input: CommandInput, name: string): string[] {
  const value = input.options[name];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
