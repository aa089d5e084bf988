// The baseline for start and memory of the apps: an application of the same framework with only a pool of connections,
// as a separate process.
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import pg from 'pg';

class BareModule {}
Module({})(BareModule);

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
const app = await NestFactory.create(BareModule, new FastifyAdapter(), { logger: false });
app
  .getHttpAdapter()
  .getInstance()
  .get('/health/ready', async () => (await pool.query('SELECT 1 AS ready')).rows[0]);
await app.listen(Number(process.env.PORT), '127.0.0.1');
process.once('SIGTERM', () => process.exit(0));
