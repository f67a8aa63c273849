use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use prometheus::IntGauge;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio_stream::{Stream, StreamExt, wrappers::TcpListenerStream};
use tonic::transport::server::{Connected, TcpConnectInfo};

/// A connection that is counted while it is open.
pub struct Connection {
    stream: TcpStream,
    open: IntGauge,
}

impl Connection {
    fn new(stream: TcpStream, open: IntGauge) -> Self {
        open.inc();
        // The default of tonic and Go; axum leaves it to the code that accepts connections. A closed connection reports
        // that when it is read.
        let _ = stream.set_nodelay(true);
        Self { stream, open }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.open.dec();
    }
}

impl AsyncRead for Connection {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context, buffer: &mut ReadBuf) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context, buffer: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, buffer)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context,
        buffers: &[IoSlice],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, buffers)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

impl Connected for Connection {
    type ConnectInfo = TcpConnectInfo;

    fn connect_info(&self) -> TcpConnectInfo {
        self.stream.connect_info()
    }
}

/// The connections of a listener, for tonic.
pub fn counted(listener: TcpListener, open: IntGauge) -> impl Stream<Item = io::Result<Connection>> {
    TcpListenerStream::new(listener).map(move |accepted| accepted.map(|stream| Connection::new(stream, open.clone())))
}

/// The same for axum.
pub struct CountedListener {
    listener: TcpListener,
    open: IntGauge,
}

impl CountedListener {
    pub fn new(listener: TcpListener, open: IntGauge) -> Self {
        Self { listener, open }
    }
}

impl axum::serve::Listener for CountedListener {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        // axum's own accept, which waits if there are too many open files.
        let (stream, address) = axum::serve::Listener::accept(&mut self.listener).await;
        (Connection::new(stream, self.open.clone()), address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}
