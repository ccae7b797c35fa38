"""First and last names by region, and words that company names are made of."""

from __future__ import annotations

MALE = {
    "North": (
        "Aarav Vikram Rohit Sandeep Harpreet Gurpreet Manish Deepak Rajesh Nitin Ankit Kunal Mohit Imran "
        "Faisal Naveen Sachin Puneet Tarun Yash"
    ),
    "South": (
        "Arjun Karthik Suresh Ramesh Prakash Srinivas Venkatesh Murali Ganesh Anand Vijay Naveen Harish "
        "Mahesh Rajan Joseph Thomas Abdul Siddharth Balaji"
    ),
    "East": (
        "Subhash Arindam Sourav Debashish Anirban Partha Rajat Tapan Biswajit Sanjib Manoj Ranjit Bikash "
        "Pranab Amitava Dipankar Abhijit Kaushik Nilesh Santosh"
    ),
    "West": (
        "Amit Jignesh Hardik Nilesh Parth Chirag Mitesh Sameer Prasad Omkar Tejas Aditya Sanket Mihir Rustom "
        "Jatin Hemant Ketan Swapnil Yusuf"
    ),
    "Central": (
        "Alok Vivek Pankaj Dinesh Rakesh Ashish Saurabh Gaurav Neeraj Brijesh Arun Shailesh Umesh Akash Vinay "
        "Salim Rahul Abhishek Jitendra Prateek"
    ),
}
FEMALE = {
    "North": (
        "Ananya Priya Neha Pooja Simran Harleen Kavita Sunita Ritu Shweta Anjali Nidhi Ayesha Sana Megha "
        "Divya Jyoti Komal Preeti Muskan"
    ),
    "South": (
        "Lakshmi Divya Meenakshi Kavya Swathi Deepa Revathi Sowmya Anitha Radhika Bhavana Shalini Nithya "
        "Padma Aisha Mary Sruthi Gayathri Vidya Keerthi"
    ),
    "East": (
        "Sharmila Moumita Rupa Ipsita Sudeshna Tanushree Ankita Papiya Barnali Madhumita Sarmistha Nandini "
        "Rimjhim Puja Smita Debjani Kakoli Mitali Ruma Nabanita"
    ),
    "West": (
        "Sneha Hetal Komal Rutuja Mansi Bhavna Dhara Pallavi Sayali Manasi Krupa Foram Farida Urvashi Tanvi "
        "Nikita Ashwini Vaishali Zarin Rachna"
    ),
    "Central": (
        "Rekha Archana Vandana Shikha Garima Sapna Mamta Rashmi Kiran Aarti Nazia Monika Seema Sarita Bharti "
        "Kanchan Richa Sonal Usha Manju"
    ),
}
LAST = {
    "North": (
        "Sharma Singh Gupta Verma Kapoor Malhotra Chauhan Arora Bhatia Khan Ansari Yadav Mehra Gill Sandhu "
        "Rawat Negi Saxena Mathur Ahuja"
    ),
    "South": (
        "Iyer Nair Reddy Rao Menon Pillai Shetty Gowda Naidu Krishnan Subramanian Varghese Hegde Murthy "
        "Chandran Shenoy Prasad Rajan Kurup Basha"
    ),
    "East": (
        "Banerjee Chatterjee Mukherjee Das Ghosh Bose Sen Roy Dutta Mohanty Patnaik Sahoo Mishra Jha Bora "
        "Kalita Saikia Sarkar Hazarika Biswas"
    ),
    "West": (
        "Patel Shah Desai Mehta Joshi Kulkarni Deshmukh Patil Pawar Jadhav More Gaikwad Parekh Trivedi Bhatt "
        "Solanki Thakkar Kadam Irani Shaikh"
    ),
    "Central": (
        "Tiwari Dubey Pandey Shukla Agrawal Jain Chouhan Malviya Patidar Thakur Rathore Soni Khandelwal "
        "Qureshi Nema Dwivedi Bajpai Raghuvanshi Vyas Sahu"
    ),
}
FIRM_STEMS = (
    "Aruneshwar Barvika Chandrapath Devgiri Ektara Falgani Gomtika Hariyash Indravan Jalsetu Kesarvan Lohapath "
    "Madhurang Nilgagan Omkarika Pushkarin Ratnavan Sagarika Tejovan Udayaraj Vanashri Yashodhan Zarivan Amritya"
)
FIRM_TRADES = (
    "Textiles,Foods,Steel Works,Chemicals,Logistics,Infra Projects,Pharma Labs,Auto Parts,Ceramics,Power Systems,"
    "Paper Mills,Software,Exports,Packaging,Agro Products,Electricals"
)


def words(text: str) -> list[str]:
    """Split a list of names."""
    return text.split()
