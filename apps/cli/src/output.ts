import type { Output } from './command';

/** Printed form of the output, with a line end. */
export function render(output: Output, json: boolean): string {
  if (json) return `${JSON.stringify(output.kind === 'rows' ? output.rows : output.record)}\n`;
  if (output.kind === 'report') return output.lines.map((line) => `${printable(line)}\n`).join('');
  if (output.kind === 'done') return `${printable(output.sentence)}\n`;
  if (output.kind === 'record') return renderRecord(output.record);
  return renderRows(output.rows);
}

function renderRecord(record: Readonly<Record<string, unknown>>): string {
  const width = Math.max(...Object.keys(record).map((key) => key.length));
  return Object.entries(record)
    .map(([key, value]) => `${key.padEnd(width)}  ${cell(value)}\n`)
    .join('');
}

function renderRows(rows: readonly Readonly<Record<string, unknown>>[]): string {
  if (rows.length === 0) return '';
  const columns = Object.keys(rows[0]!);
  const lines = [columns, ...rows.map((row) => columns.map((column) => cell(row[column])))];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index]!.length)));
  return lines
    .map(
      (line) =>
        `${line
          .map((text, index) => text.padEnd(widths[index]!))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

/**
 * Shows characters that a terminal obeys, and those that change the order of others, by their numbers: guests and partners choose
 * names of files. Sentences have lines of their own.
 */
export const printable = (text: string): string =>
  text.replace(
    /[^\P{Cc}\n]|\p{Bidi_Control}/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );

const cell = (value: unknown): string => printable(textOf(value)).replaceAll('\n', '\\n');

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(textOf).join(',');
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'string' ? value : JSON.stringify(value);
}
