import { Metrics } from './metrics';

describe('metrics', () => {
  it('read a gauge whenever they are asked for', async () => {
    const metrics = new Metrics();
    let waiting = 1;
    metrics.gauge('waiting', 'How many wait', ['where'], () => [
      { labels: { where: 'here' }, value: waiting },
    ]);
    expect(await metrics.render()).toContain('drawbridge_waiting{where="here"} 1');
    waiting = 2;
    expect(await metrics.render()).toContain('drawbridge_waiting{where="here"} 2');
  });

  it('leave out a gauge that cannot be read, and nothing else', async () => {
    const metrics = new Metrics();
    let answers = true;
    metrics.gauge('broken', 'Fails', ['what'], () =>
      answers ? [{ labels: { what: 'it' }, value: 1 }] : Promise.reject(new Error('the database is away')),
    );
    metrics.counter('done_total', 'Done', ['what']).inc({ what: 'it' });
    expect(await metrics.render()).toContain('drawbridge_broken{what="it"} 1');
    answers = false;
    const text = await metrics.render();
    expect(text).not.toContain('drawbridge_broken{');
    expect(text).toContain('drawbridge_done_total{what="it"} 1');
  });

  it('count requests by method, route and status', async () => {
    const metrics = new Metrics();
    metrics.requestEnded('GET', '/status.php', 200, 0.004);
    metrics.requestEnded('GET', '/status.php', 200, 0.2);
    const text = await metrics.render();
    const series = 'drawbridge_http_request_duration_seconds';
    expect(text).toContain(`${series}_count{method="GET",route="/status.php",status="200"} 2`);
    expect(text).toContain(`${series}_bucket{le="0.005",method="GET",route="/status.php",status="200"} 1`);
  });
});
