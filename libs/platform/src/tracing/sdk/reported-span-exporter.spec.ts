import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import { createLogger } from '../../logging';
import { ReportedSpanExporter } from './reported-span-exporter';

it('an outage of the collector is logged once, without its text, and so is its end', () => {
  const lines: string[] = [];
  const results = [0, 1, 1, 0, 0, 1].map((code) => ({
    code,
    error: code ? Object.assign(new Error('Bearer hush'), { code: 403 }) : undefined,
  }));
  const collector: SpanExporter = {
    export: (_spans, done) => done(results.shift()!),
    shutdown: () => Promise.resolve(),
  };
  const exporter = new ReportedSpanExporter(
    collector,
    createLogger('info', { write: (line) => void lines.push(line) }),
  );
  const codes: number[] = [];
  for (let call = 0; call < 6; call++) exporter.export([], ({ code }) => codes.push(code));
  expect(codes).toEqual([0, 1, 1, 0, 0, 1]);
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
    'traces are lost: the collector does not take them',
    'traces are taken again',
    'traces are lost: the collector does not take them',
  ]);
  expect(lines.join()).not.toContain('hush');
  expect(JSON.parse(lines[0]!)).toMatchObject({ code: 403 });
});
