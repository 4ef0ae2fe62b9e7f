import java.io.File;
import javax.xml.XMLConstants;
import javax.xml.transform.stream.StreamSource;
import javax.xml.validation.Schema;
import javax.xml.validation.SchemaFactory;
import org.xml.sax.SAXException;

/** Checks files against the schema that is its first argument, and prints a line for each: "valid", or why not. */
public class ValidatesXml {
	public static void main(String[] args) throws Exception {
		Schema schema = SchemaFactory.newInstance(XMLConstants.W3C_XML_SCHEMA_NS_URI).newSchema(new File(args[0]));
		for (int index = 1; index < args.length; index++) {
			try {
				schema.newValidator().validate(new StreamSource(new File(args[index])));
				System.out.println("valid");
			} catch (SAXException error) {
				System.out.println(error.getMessage().replace('\n', ' '));
			}
		}
	}
}
