export { FilesModule } from './files.module';
export { FilesServerModule } from './files-server.module';
