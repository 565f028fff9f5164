//! A list of games, page by page.

use divelog_proto::v1::{ListGamesRequest, ListGamesResponse};

use crate::{connect::Connection, errors::CliError};

/// The most games the server puts on a page.
pub const MAX_PAGE: u32 = 1_000;

/// A page may be empty and still have a next one; a server that sends only such pages in a row is given up on.
const MAX_EMPTY_PAGES: usize = 10_000;

/// The pages of a list, from the page that the request names.
pub struct Pages {
    request: ListGamesRequest,
    empty_pages: usize,
    ended: bool,
}

impl Pages {
    /// The pages of this list.
    pub fn of(request: ListGamesRequest) -> Self {
        Self { request, empty_pages: 0, ended: false }
    }

    /// The next page, with so many games at most; none after the last.
    pub async fn next(&mut self, connection: &Connection, size: u32) -> Result<Option<ListGamesResponse>, CliError> {
        if self.ended {
            return Ok(None);
        }
        self.request.page_size = size;
        let page = connection.call(self.request.clone()).await?;
        self.empty_pages = if page.games.is_empty() { self.empty_pages + 1 } else { 0 };
        self.ended = page.next_page_token.is_empty();
        let stuck = !self.ended && page.next_page_token == self.request.page_token;
        if self.empty_pages > MAX_EMPTY_PAGES || stuck {
            return Err(CliError::Protocol("its list of games does not end".into()));
        }
        self.request.page_token.clone_from(&page.next_page_token);
        Ok(Some(page))
    }
}
